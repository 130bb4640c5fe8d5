#!/bin/sh
# One step of a pipeline: plan an issue, verify a record, or publish a run. Everything comes in variables, so that no text of others is
# ever part of a command line. Used by ci/github/action.yml and ci/gitlab/coordinator.gitlab-ci.yml.
#
#   COORDINATOR_MODE    plan, verify or publish
#   COORDINATOR_ISSUE   plan: the address of the issue
#   COORDINATOR_RECORD  verify: the folder of a plan, or a tape, in the checkout
#   COORDINATOR_RUN     publish: the run
#   COORDINATOR_MAIN    the program; that of this repository when absent
set -eu

fail() {
  echo "coordinator: $1" >&2
  exit 2
}

# A value is one line of characters that addresses, paths and ids have, and no option.
require() {
  case "$2" in
    '') fail "$1 is empty" ;;
    -*) fail "$1 must not begin with a dash" ;;
    *[!A-Za-z0-9:/._@%+~#=-]*) fail "$1 has characters that it cannot have" ;;
  esac
}

here=$(CDPATH='' cd -- "$(dirname -- "$0")/.." && pwd)
main=${COORDINATOR_MAIN:-$here/dist/cli/main.js}
if [ ! -f "$main" ]; then
  (cd "$here" && npm ci --no-audit --no-fund --ignore-scripts && npm run build) >&2
fi

summary() {
  # What it printed is quoted: it may hold words of others.
  if [ -n "${GITHUB_STEP_SUMMARY:-}" ]; then sed 's/^/    /' "$1" >>"$GITHUB_STEP_SUMMARY"; fi
  cat "$1"
}

said=$(mktemp)
trap 'rm -f "$said"' EXIT
code=0
case "${COORDINATOR_MODE:-}" in
  plan)
    require COORDINATOR_ISSUE "${COORDINATOR_ISSUE:-}"
    node "$main" plan --issue "$COORDINATOR_ISSUE" >"$said" || code=$?
    summary "$said"
    # That the plan waits for a person is how it should be.
    if [ "$code" -eq 3 ]; then code=0; fi
    ;;
  verify)
    require COORDINATOR_RECORD "${COORDINATOR_RECORD:-}"
    # A fork may use it: it needs no secret, and gets none. It reads; nothing of the checkout is run.
    env -i PATH="$PATH" HOME="$(mktemp -d)" LANG=C.UTF-8 \
      node "$main" verify "$COORDINATOR_RECORD" >"$said" 2>&1 || code=$?
    summary "$said"
    ;;
  publish)
    require COORDINATOR_RUN "${COORDINATOR_RUN:-}"
    node "$main" publish "$COORDINATOR_RUN" >"$said" || code=$?
    summary "$said"
    ;;
  *) fail "COORDINATOR_MODE must be plan, verify or publish" ;;
esac
exit "$code"
