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
  const statements = new Map<string, StatementSyncInstance>()
  const prepare = ({ sql: text }: SqlPart): StatementSyncInstance => {
    const statement = statements.get(text) ?? database.prepare(text)
    statements.set(text, statement)
    return statement
  }
  return {
    run(...template) {
      const whole = sqlPart(...template)
      return Number(prepare(whole).run(...whole.values).changes)
    },
    get(...template) {
      const whole = sqlPart(...template)
      return prepare(whole).get(...whole.values) as Row | undefined
    },
    all(...template) {
      const whole = sqlPart(...template)
      return prepare(whole).all(...whole.values) as Row[]
    },
    iterate(...template) {
      const whole = sqlPart(...template)
      return prepare(whole).iterate(...whole.values) as IterableIterator<Row>
    },
  }
}

/** A part of statements: a condition, or a list of columns. */
export function sqlPart(texts: TemplateStringsArray, ...values: readonly Value[]): SqlPart {
  const isPart = (value: Value): value is SqlPart => typeof value === 'object' && value !== null
  return {
    sql: String.raw({ raw: texts }, ...values.map((value) => (isPart(value) ? value.sql : '?'))),
    values: values.flatMap((value) => {
      if (isPart(value)) return value.values
      return typeof value === 'boolean' ? Number(value) : (value ?? null)
    }),
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
