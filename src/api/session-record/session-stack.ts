import type { MetaFacts } from './line-facts.ts'

/** What places an event in its session. */
export interface PlacedEvent {
  readonly kind: string
  readonly seq: number
}

/** The time of an event, asked for only where its number alone does not decide. */
export type TimeOfEvent = () => number | undefined

/** Events that are missing before a line. */
export interface SeqGap {
  readonly sessionId: string | undefined
  readonly expected: number
  readonly seq: number
}

/** A session whose stream has not been left yet. */
export interface OpenSession {
  readonly sessionId: string | undefined
  readonly endedAtMs: number | undefined
  readonly lastSeq: number
  readonly lastKind: string | undefined
}

/** Finds out to which session each line belongs: lines name no session, and each session counts on its own. */
export interface SessionStack {
  open(meta: MetaFacts): void
  /** Returns what is missing before the event, if anything is. */
  place(event: PlacedEvent, atMs: TimeOfEvent): SeqGap | undefined
  /** From the session of the record down to the one whose stream comes last. */
  readonly sessions: readonly OpenSession[]
}

type Session = { -readonly [K in keyof OpenSession]: OpenSession[K] }

export function createSessionStack(): SessionStack {
  const stack: Session[] = []
  return {
    open({ sessionId, parentId, endedAtMs }) {
      const parent = parentId === undefined ? -1 : stack.findLastIndex((item) => item.sessionId === parentId)
      if (parent !== -1) stack.length = parent + 1
      stack.push({ sessionId, endedAtMs, lastSeq: 0, lastKind: undefined })
    },
    place(event, atMs) {
      const { kind, seq } = event
      // Most records hold one session: the question is not asked for each of their lines.
      const level = stack.length < 2 ? 0 : ownerOf(stack, event, atMs)
      const owner = stack[level]
      if (!owner) return undefined
      const expected = owner.lastSeq + 1
      if (level < stack.length - 1) stack.length = level + 1
      owner.lastSeq = seq
      owner.lastKind = kind
      return seq === expected ? undefined : { sessionId: owner.sessionId, expected, seq }
    },
    sessions: stack,
  }
}

/** The level of the session that an event belongs to. */
function ownerOf(stack: readonly Session[], event: PlacedEvent, atMs: TimeOfEvent): number {
  const top = stack.length - 1
  const inner = stack[top]
  if (!inner) return top
  const isNext = (session: Session): boolean => session.lastSeq + 1 === event.seq
  const outer = stack.findLastIndex((session, level) => level < top && isNext(session))
  if (isNext(inner)) return outer !== -1 && isOver(inner, event, atMs) ? outer : top
  if (outer !== -1) return outer
  // Lines are missing. Numbers only rise, so the event is none of a session that is further already.
  return Math.max(
    stack.findLastIndex((session) => session.lastSeq < event.seq),
    0,
  )
}

/**
 * Whether a session is over before an event that would fit it, but fits an outer one as well: after the final
 * answer, unless the user goes on, and after the time at which the session ended.
 */
function isOver({ lastKind, endedAtMs }: Session, event: PlacedEvent, timeOfEvent: TimeOfEvent): boolean {
  if (lastKind === 'final_answer' && event.kind !== 'user_message') return true
  const atMs = endedAtMs === undefined ? undefined : timeOfEvent()
  return atMs !== undefined && endedAtMs !== undefined && atMs > endedAtMs
}
