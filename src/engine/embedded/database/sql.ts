import type { DatabaseSyncInstance, StatementSyncInstance } from '@photostructure/sqlite'

/** A row, by the names of its columns. */
export type Row = Readonly<Record<string, unknown>>

/** A part of a statement, with its values. */
export interface SqlPart {
  readonly sql: string
  readonly values: readonly Bound[]
}

type Bound = string | number | bigint | null

/** True is written as 1, and what is undefined as NULL. */
type Value = Bound | boolean | undefined | SqlPart

/** Executes statements that have their values in their places, each as a template. */
export interface Sql {
  /** Returns the number of changed rows. */
  run(texts: TemplateStringsArray, ...values: readonly Value[]): number
  get(texts: TemplateStringsArray, ...values: readonly Value[]): Row | undefined
  all(texts: TemplateStringsArray, ...values: readonly Value[]): readonly Row[]
  iterate(texts: TemplateStringsArray, ...values: readonly Value[]): IterableIterator<Row>
}

const known = new WeakMap<DatabaseSyncInstance, Sql>()

/** The statements of a database. Each is prepared once. */
export function sql(database: DatabaseSyncInstance): Sql {
  const made = known.get(database) ?? createSql(database)
  known.set(database, made)
  return made
}

function createSql(database: DatabaseSyncInstance): Sql {
  const bySql = new Map<string, StatementSyncInstance>()
  const byTexts = new WeakMap<TemplateStringsArray, StatementSyncInstance>()
  const prepare = (text: string): StatementSyncInstance => {
    const statement = bySql.get(text) ?? database.prepare(text)
    bySql.set(text, statement)
    return statement
  }
  /** A template without parts is always the same statement: hundreds of calls at once write a row each. */
  const ready = (
    texts: TemplateStringsArray,
    values: readonly Value[],
  ): readonly [StatementSyncInstance, readonly Bound[]] => {
    const hasParts = values.some(isPart)
    const known = hasParts ? undefined : byTexts.get(texts)
    if (known) return [known, values.map((value) => bound(value as Exclude<Value, SqlPart>))]
    const whole = sqlPart(texts, ...values)
    const statement = prepare(whole.sql)
    if (!hasParts) byTexts.set(texts, statement)
    return [statement, whole.values]
  }
  return {
    run(texts, ...given) {
      const [statement, values] = ready(texts, given)
      return Number(statement.run(...values).changes)
    },
    get(texts, ...given) {
      const [statement, values] = ready(texts, given)
      return statement.get(...values) as Row | undefined
    },
    all(texts, ...given) {
      const [statement, values] = ready(texts, given)
      return statement.all(...values) as Row[]
    },
    iterate(texts, ...given) {
      const [statement, values] = ready(texts, given)
      return statement.iterate(...values) as IterableIterator<Row>
    },
  }
}

function isPart(value: Value): value is SqlPart {
  return typeof value === 'object' && value !== null
}

function bound(value: Exclude<Value, SqlPart>): Bound {
  return typeof value === 'boolean' ? Number(value) : (value ?? null)
}

/** A part of statements: a condition, or a list of columns. */
export function sqlPart(texts: TemplateStringsArray, ...values: readonly Value[]): SqlPart {
  return {
    sql: String.raw({ raw: texts }, ...values.map((value) => (isPart(value) ? value.sql : '?'))),
    values: values.flatMap((value) => (isPart(value) ? value.values : bound(value))),
  }
}

/** A value as a column holds it. */
export function toJson(value: unknown): string | null {
  return value === undefined ? null : JSON.stringify(value)
}

/** The value of a column. Undefined: it holds none. */
export function fromJson<T>(text: unknown): T | undefined {
  return typeof text === 'string' ? (JSON.parse(text) as T) : undefined
}
