import { type EventFacts, type MetaFacts, timeOf } from './line-facts.ts'

/** Events that are missing before a line. */
export interface SeqGap {
  readonly sessionId: string | undefined
  readonly expected: number
  readonly seq: number
}

/** A session that can still get events. */
export interface OpenSession {
  readonly sessionId: string | undefined
  readonly endedAtMs: number | undefined
  readonly lastSeq: number
  readonly lastKind: string | undefined
}

/** Finds the session of each event: lines name no session, and each session has numbers of its own. */
export interface SessionStack {
  open(meta: MetaFacts): void
  /** Returns which events are missing before this one, if any. */
  place(event: EventFacts): SeqGap | undefined
  /** From the session of the record down to the innermost one. */
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
    place(event) {
      const level = ownerOf(stack, event)
      const owner = stack[level]
      if (!owner) return undefined
      const { sessionId, lastSeq } = owner
      // Setting a length is slow, also where it stays the same.
      if (level < stack.length - 1) stack.length = level + 1
      owner.lastSeq = event.seq
      owner.lastKind = event.kind
      return event.seq === lastSeq + 1 ? undefined : { sessionId, expected: lastSeq + 1, seq: event.seq }
    },
    sessions: stack,
  }
}

/** The level of the session that an event belongs to. */
function ownerOf(stack: readonly Session[], event: EventFacts): number {
  const top = stack.length - 1
  const inner = stack[top]
  // Most records have one session only.
  if (!inner || top === 0) return top
  const isNext = (session: Session): boolean => session.lastSeq + 1 === event.seq
  const outer = stack.findLastIndex((session, level) => level < top && isNext(session))
  if (isNext(inner)) return outer !== -1 && isOver(inner, event) ? outer : top
  if (outer !== -1) return outer
  // Lines are missing. Numbers only rise, so the event belongs to no session with a higher number.
  const behind = stack.findLastIndex((session) => session.lastSeq < event.seq)
  return Math.max(behind, 0)
}

/**
 * Whether a session is over before an event that would fit it, but fits an outer one as well: after the final
 * answer, unless the user continues, and after the time at which the session ended.
 */
function isOver({ lastKind, endedAtMs }: Session, { kind, line }: EventFacts): boolean {
  if (lastKind === 'final_answer' && kind !== 'user_message') return true
  if (endedAtMs === undefined) return false
  const atMs = timeOf(line['ts'])
  return atMs !== undefined && atMs > endedAtMs
}
