#!/bin/sh
# Makes the namespace with its retention and search attributes, and ends when they can be used: what waits for this job
# can start at once. Can be repeated at any time; a retention that was changed is taken over.
# The tool reads TEMPORAL_ADDRESS and TEMPORAL_NAMESPACE by itself.
set -eu

# Tries something again, for two minutes. Parts of the server get to know of a new namespace some seconds late.
insist() {
  tries=0
  until output=$("$@" 2>&1); do
    tries=$((tries + 1))
    if [ "$tries" -ge 120 ]; then
      echo "in vain: $*: $output" >&2
      return 1
    fi
    sleep 1
  done
}

# Of two that create it at once, one is refused and finds it the next time.
create() {
  temporal operator namespace describe --namespace "$TEMPORAL_NAMESPACE" ||
    temporal operator namespace create --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
}

insist temporal operator cluster health
insist create
insist temporal operator namespace update --namespace "$TEMPORAL_NAMESPACE" --retention "$RETENTION"
for attribute in $SEARCH_ATTRIBUTES; do
  insist temporal operator search-attribute create --name "${attribute%=*}" --type "${attribute#*=}"
done
# For a moment after they were made, queries do not know them.
for attribute in $SEARCH_ATTRIBUTES; do
  insist temporal workflow count --query "${attribute%=*} IS NULL"
done
echo "namespace $TEMPORAL_NAMESPACE: ready"
