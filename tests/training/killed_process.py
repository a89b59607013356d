"""`pointree` with a checkpoint after every batch, of which a process kills itself.

Its arguments are the rank of that process, the step before which it does so, and those of `pointree`.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Any

from pointree.cli.main import main
from pointree.training import trainer as trainer_module
from pointree.training.trainer import Trainer

if __name__ == "__main__":
    rank, step = (int(sys.argv.pop(1)) for _ in range(2))
    trainer_module.CHECKPOINT_SECONDS = 0.0
    learn = Trainer._learn

    def learn_or_die(trainer: Trainer, *args: Any) -> Any:
        if trainer.group.rank == rank and trainer.progress.step == step:
            os.kill(os.getpid(), signal.SIGKILL)
        return learn(trainer, *args)

    Trainer._learn = learn_or_die  # type: ignore[method-assign]
    main()
