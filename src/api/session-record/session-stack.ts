import type { EventFacts, MetaFacts } from './line-facts.ts'

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

/** Finds the session of each event: by its name where lines carry it, else by the numbers of each session. */
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
      owner.lastKind = event.kind
      if (event.seq === undefined) return undefined
      owner.lastSeq = event.seq
      return event.seq === lastSeq + 1 ? undefined : { sessionId, expected: lastSeq + 1, seq: event.seq }
    },
    sessions: stack,
  }
}

/** The level of the session that an event belongs to. */
function ownerOf(stack: readonly Session[], { sessionId, seq, kind }: EventFacts): number {
  const named =
    sessionId === undefined ? -1 : stack.findLastIndex((session) => session.sessionId === sessionId)
  if (named !== -1) return named
  const top = stack.length - 1
  const inner = stack[top]
  // Most records have one session only.
  if (!inner || top === 0 || seq === undefined) return top
  const isNext = (session: Session): boolean => session.lastSeq + 1 === seq
  const outer = stack.findLastIndex((session, level) => level < top && isNext(session))
  // After its final answer a session is over, unless the user continues.
  const isOver = inner.lastKind === 'final_answer' && kind !== 'user_message'
  if (isNext(inner)) return outer !== -1 && isOver ? outer : top
  if (outer !== -1) return outer
  // Lines are missing. Numbers only rise, so the event belongs to no session with a higher number.
  const behind = stack.findLastIndex((session) => session.lastSeq < seq)
  return Math.max(behind, 0)
}
