#!/bin/sh
# Makes node_modules/.bin/node a Node from 24 on: the machine's own, or where that is older, the npm package of deploy/node/package-lock.json.
# npm runs it at the end of `npm ci`.
set -eu
cd "$(dirname "$0")/../.."
bin=$PWD/node_modules/.bin

path=$(printf %s "$PATH" | tr : '\n' | grep -v '/node_modules/\.bin$' | paste -s -d : -)
own=$(PATH=$path command -v node || true)
mkdir -p "$bin"
if [ -n "$own" ] && "$own" --version | grep -Eq '^v(2[4-9]|[3-9][0-9]|[1-9][0-9][0-9])\.'; then
  ln -sf "$own" "$bin/node"
  exit
fi

home=$PWD/node_modules/.node
rm -rf "$home"
mkdir "$home"
cp deploy/node/package.json deploy/node/package-lock.json "$home"
npm ci --prefix "$home" --include=optional --ignore-scripts --no-audit --no-fund --loglevel=error > /dev/null
ln -sf ../.node/node_modules/.bin/node "$bin/node"
"$bin/node" --version > /dev/null 2>&1 || {
  echo "There is no Node 24 for this machine in deploy/node/package.json, and its own is $("${own:-true}" --version). Install Node 24." >&2
  exit 1
}
