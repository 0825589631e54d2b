import { connection, setConnectionState } from './connection.tsx'
import { isLoggedOut, read } from './follow.ts'

const everyMs = 5000

/** Asks for a document every 5 seconds while the page is seen, and hands over each answer. Returns what ends it. */
export function askAgain<Document>(address: string, take: (document: Document) => void): () => void {
  const ended = new AbortController()
  const ask = async (): Promise<void> => {
    if (document.visibilityState !== 'visible') return
    try {
      take(await read<Document>(address, ended.signal))
      setConnectionState('asking')
    } catch (error) {
      if (!ended.signal.aborted) connection.value = isLoggedOut(error) ? 'logged-out' : 'away'
    }
  }
  connection.value = 'asking'
  const timer = setInterval(ask, everyMs)
  return () => {
    clearInterval(timer)
    ended.abort()
  }
}
