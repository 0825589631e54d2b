/** A document that is read at most once in a while. */
export interface Remembered<Document = object> {
  read(): Promise<Document>
  /** Something has changed: the next reader gets a new one. */
  forget(): void
}

/** Keeps the answer of a reader for some milliseconds. A failure is kept for nobody. */
export function remember<Document>(read: () => Promise<Document>, forMs: number): Remembered<Document> {
  let kept: { readonly answer: Promise<Document>; readonly untilMs: number } | undefined
  return {
    read() {
      const now = Date.now()
      if (kept !== undefined && now < kept.untilMs) return kept.answer
      const answer = read()
      kept = { answer, untilMs: now + forMs }
      answer.catch(() => {
        if (kept?.answer === answer) kept = undefined
      })
      return answer
    },
    forget() {
      kept = undefined
    },
  }
}
