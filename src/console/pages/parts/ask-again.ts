import { connection } from './connection.tsx'

const everyMs = 5000

/** Asks for a document every 5 seconds while the page is seen, and hands over each answer. Returns what ends it. */
export function askAgain<Document>(address: string, take: (document: Document) => void): () => void {
  const ended = new AbortController()
  const ask = async (): Promise<void> => {
    if (document.visibilityState !== 'visible') return
    try {
      const answer = await fetch(address, {
        signal: ended.signal,
        headers: { accept: 'application/json' },
      })
      // The session has ended: the server shows where to log in.
      if (answer.status === 401) return location.reload()
      if (!answer.ok) throw new Error(`the server answered ${answer.status}`)
      take((await answer.json()) as Document)
      if (connection.value === 'away') connection.value = 'asking'
    } catch {
      if (!ended.signal.aborted) connection.value = 'away'
    }
  }
  const timer = setInterval(ask, everyMs)
  return () => {
    clearInterval(timer)
    ended.abort()
  }
}
