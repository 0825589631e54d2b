#!/bin/sh
# Makes both databases of Temporal and brings their schemas up to date. Can be repeated at any time.
# The tool reads SQL_PLUGIN, SQL_HOST, SQL_PORT, SQL_USER and SQL_PASSWORD by itself.
set -eu

case "$SQL_PASSWORD" in
  # The server puts it into a configuration file as it is, and into an address.
  *[!A-Za-z0-9._~-]*)
    echo "POSTGRES_PASSWORD has to be made of letters, digits and . _ ~ -" >&2
    exit 2
    ;;
esac

update() {
  echo "database $1: schema $2"
  temporal-sql-tool --db "$1" create
  temporal-sql-tool --db "$1" setup-schema -v 0.0
  temporal-sql-tool --db "$1" update-schema -d "$SCHEMA_FOLDER/$2/versioned"
}

update "$DBNAME" temporal
update "$VISIBILITY_DBNAME" visibility
