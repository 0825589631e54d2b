import { readFileSync } from 'node:fs'
import { parse } from 'yaml'

/** Statements of one part of the document, and the file that proves them all. */
export interface StatementPart {
  readonly section: string
  readonly proof?: string
  /** Why no test can prove them. */
  readonly untested?: string
  readonly statements: Readonly<Record<string, string>>
}

export const statementParts: readonly StatementPart[] = parse(
  readFileSync(new URL('./rules.yaml', import.meta.url), 'utf8'),
)

const known = new Map(statementParts.flatMap(({ statements }) => Object.entries(statements)))

/** A title that says what is proven. An id is an id of the table behind a section sign; an unknown one throws. */
export function proves(...ids: readonly `§${string}`[]): string {
  const titles = ids.map((id) => {
    const says = known.get(id.slice(1))
    if (says === undefined) throw new Error(`rules.yaml has no statement ${id}`)
    return `${id} ${says}`
  })
  return titles.join(' ')
}
