import type { ActionDescription, Safety, SafetyRule } from '../../core/action.ts'

type Judged = Pick<ActionDescription, 'safety' | 'safetyBy' | 'isLocal'>

/** How safe an action is, in a word or two. */
export function safetyWord({ safety, safetyBy, isLocal }: Judged): string {
  if (isLocal) return 'local'
  return safetyBy ? `by ${safetyBy.by}` : safety
}

/** How safe an action is, and what that means. `quote` marks words of the language. */
export function safetyText(
  { safety, safetyBy, isLocal }: Judged,
  quote: (word: string) => string = (word) => word,
): string {
  if (isLocal) return 'local: sends nothing itself'
  if (safetyBy) return ruleText(safetyBy, safety, quote)
  return `${quote(safety)}: ${meanings[safety]}`
}

const meanings: Readonly<Record<Safety, string>> = {
  read: 'changes nothing; may be repeated after any failure',
  idempotent: 'doing it twice is doing it once; may be repeated',
  create: 'makes something new; never repeated when the answer is lost (OutcomeUnknown: a person decides)',
}

function ruleText(
  { argument, by, values }: SafetyRule,
  otherwise: Safety,
  quote: (word: string) => string,
): string {
  const groups = [...new Set(Object.values(values))].map((safety) => {
    const words = Object.keys(values).filter((word) => values[word] === safety)
    return `${quote(safety)} for ${words.map(quote).join(', ')}`
  })
  return `by ${quote(by)}: ${groups.join('; ')}; else ${quote(otherwise)}. ${quote(argument)} takes precedence.`
}
