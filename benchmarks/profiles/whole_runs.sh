#!/usr/bin/env bash
# Whole commands of the bundled models beside `en` of 0.1 on torch, one thread, in turns:
#
#     mkdir old && git archive 898cf16 src/pointree/models/bundled/en | tar -x -C old
#     benchmarks/profiles/whole_runs.sh old/src/pointree/models/bundled/en en_ewt-ud-dev.conllu
set -euo pipefail

old=$1 treebank=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export OMP_NUM_THREADS=1
sed -n 's/^# text = //p' "$treebank" >"$work/text.txt"
printf 'command, seconds, user seconds, peak KB\n'

timed() { # NAME INPUT [OPTION …]
  local name=$1 input=$2
  shift 2
  /usr/bin/time -f "$name, %e, %U, %M" pointree parse "$input" --threads 1 --quiet --output "$work/out.conllu" "$@"
}

for _ in 1 2 3; do
  timed "file, 0.1 on torch" "$work/text.txt" --sentences line --model "$old" --engine torch --precision fp32
  timed "file, en, int8" "$work/text.txt" --sentences line --model en --engine onnx --precision int8
  timed "file, en, fp32" "$work/text.txt" --sentences line --model en --engine onnx --precision fp32
  timed "file, en-fast, int8" "$work/text.txt" --sentences line --model en-fast --engine onnx --precision int8
  timed "one sentence, 0.1 on torch" "It rains in the mountains." --model "$old" --engine torch --precision fp32
  timed "one sentence, en" "It rains in the mountains." --model en
  timed "one sentence, en-fast" "It rains in the mountains." --model en-fast
done
