import type { Attempted, CallRequest, RememberedResult } from '../../core/host/index.ts'
import type { Answer } from '../../core/people/index.ts'
import type { Warnings } from '../../core/record/index.ts'
import { RunbookError } from '../../core/run-error.ts'

/** What outlives a process of a scripted run. */
export interface TestJournal {
  /** Outcomes by `path#attempt`, and what people said by `asked path`, in the order in which they came. */
  readonly outcomes: Map<string, Outcome>
  /** When the run first reached its steps. */
  readonly reached: Map<string, number>
  /** Contents by name. */
  readonly artifacts: Map<string, string>
  /** The events that steps have taken, by hook and id. */
  readonly taken: Set<string>
  /** What steps and items have come to, where that is remembered. */
  readonly memory?: TestMemory
}

type Outcome =
  | { readonly order: number; readonly request: string; readonly attempted: Attempted }
  | { readonly order: number; readonly answers: readonly Answer[] }

/** What is left of a process that remembers results. */
export interface TestMemory {
  /** By the paths of steps and items. */
  readonly results: Map<string, RememberedResult | 'begun'>
  /** How long was worked within limits. */
  readonly worked: Map<string, number>
  warnings: Warnings
}

export function createTestJournal({ remembers = false }: { remembers?: boolean } = {}): TestJournal {
  const memory: TestMemory = { results: new Map(), worked: new Map(), warnings: {} }
  return {
    outcomes: new Map(),
    reached: new Map(),
    artifacts: new Map(),
    taken: new Set(),
    ...(remembers ? { memory } : {}),
  }
}

/** The name of an attempt. */
function keyOf({ path, attempt }: Pick<CallRequest, 'path' | 'attempt'>): string {
  return `${path}#${attempt}`
}

export function recordAttempt({ outcomes }: TestJournal, request: CallRequest, attempted: Attempted): void {
  outcomes.set(keyOf(request), { order: outcomes.size, request: JSON.stringify(request), attempted })
}

export function recordAnswers({ outcomes }: TestJournal, path: string, answers: readonly Answer[]): void {
  outcomes.set(`asked ${path}`, { order: outcomes.size, answers })
}

/** The time of the first visit. */
export function firstReached({ reached }: TestJournal, place: string, now: number): number {
  const known = reached.get(place) ?? now
  reached.set(place, known)
  return known
}

/** What a process that resumes a journal reads from it. */
export interface TestReplay {
  /** What was asked for twice, or with other arguments than before. */
  readonly contradictions: readonly string[]
  /** The recorded outcome of an attempt, when it is next to be replayed. Undefined, when what is new is next. */
  attempted(request: CallRequest): Promise<Attempted | undefined>
  /** The recorded answers of people, in the same way. */
  answered(path: string): Promise<readonly Answer[] | undefined>
}

/**
 * Reads a journal as it was when the process began: outcomes come in the order in which they were recorded, and before
 * anything new. `whenIdle` resolves when nothing else is left to do, the lowest order first.
 */
export function createReplay(journal: TestJournal, whenIdle: (order: number) => Promise<void>): TestReplay {
  const before = new Map(journal.outcomes)
  const asked = new Set<string>()
  const contradictions: string[] = []

  const find = async (key: string): Promise<Outcome | undefined> => {
    if (asked.has(key)) contradictions.push(`${key} is asked for twice`)
    asked.add(key)
    const known = before.get(key)
    if (before.size > 0) await whenIdle(known?.order ?? Number.MAX_VALUE)
    return known
  }
  return {
    contradictions,
    async attempted(request) {
      const key = keyOf(request)
      const known = await find(key)
      if (!known || !('request' in known)) return undefined
      if (known.request === JSON.stringify(request)) return known.attempted
      contradictions.push(`${key} was ${known.request}, and is ${JSON.stringify(request)}`)
      throw new RunbookError('PlanDrift', `${key} was called with other arguments before`)
    },
    async answered(path) {
      const known = await find(`asked ${path}`)
      return known && 'answers' in known ? known.answers : undefined
    },
  }
}
