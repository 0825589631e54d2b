#!/bin/sh
# Makes the namespace with its retention and search attributes, and ends when they can be used: what waits for this job
# can start at once. Can be repeated at any time; a retention that was changed is taken over.
# The tool reads TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE by itself.
set -eu

# Tries something again, for two minutes.
insist() {
  tries=0
  until "$@"; do
    tries=$((tries + 1))
    if [ "$tries" -ge 120 ]; then
      echo "gave up: $*" >&2
      return 1
    fi
    sleep 1
  done
}

serves() {
  temporal operator cluster health >/dev/null 2>&1
}

exists() {
  temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" >/dev/null 2>&1
}

# Of two that create it at once, one is refused and finds it the next time.
create() {
  exists || temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
}

can_be_asked() {
  temporal workflow count --query "$1 IS NULL" >/dev/null 2>&1
}

insist serves
insist create
insist exists
temporal operator namespace update --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"

for attribute in $SEARCH_ATTRIBUTES; do
  insist temporal operator search-attribute create --name "${attribute%=*}" --type "${attribute#*=}"
done
# For a moment after they were made nobody knows them.
for attribute in $SEARCH_ATTRIBUTES; do
  insist can_be_asked "${attribute%=*}"
done
echo "namespace $TEMPORAL_NAMESPACE: ready"
