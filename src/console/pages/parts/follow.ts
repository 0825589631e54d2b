import { connection, setConnectionState } from './connection.tsx'

const askEveryMs = 5000
/** The server sends a beat every 5 seconds. A stream without two of them is held back on its way, or dead. */
const silentMs = 12_000

/** What a page follows. */
export interface Followed {
  /** Such as `run:run_20261123_085741_k3x9qd`, `inbox` and `now`. None: no stream has it, and the page asks. */
  readonly topics: readonly string[]
  /** Takes the data of each event, by the name of the event. */
  readonly take: Readonly<Record<string, (data: never) => void>>
  /** Reads the newest state where no stream arrives. Rejects if the server does not answer. */
  readonly ask: () => Promise<void>
}

/**
 * Follows the server with one stream. While none arrives, because the server is away or a proxy holds it back, the page
 * asks every 5 seconds, and shows what was until there is an answer. Returns what ends it.
 */
export function follow({ topics, take, ask }: Followed): () => void {
  const address = `/api/v1/stream?topics=${topics.map(encodeURIComponent).join(',')}`
  let heardMs = Number.NEGATIVE_INFINITY
  let isAsking = false
  let source: EventSource | undefined
  const timer = setInterval(look, askEveryMs)
  // A browser opens six connections to a server: hidden tabs hold none.
  const openOrClose = (): void => {
    source?.close()
    heardMs = Number.NEGATIVE_INFINITY
    source = topics.length > 0 && document.visibilityState === 'visible' ? open() : undefined
  }
  if (topics.length === 0) connection.value = 'asking'
  openOrClose()
  document.addEventListener('visibilitychange', openOrClose)
  return () => {
    clearInterval(timer)
    document.removeEventListener('visibilitychange', openOrClose)
    source?.close()
  }

  function open(): EventSource {
    const opened = new EventSource(address)
    const hear = (): void => {
      heardMs = performance.now()
      setConnectionState('live')
    }
    opened.addEventListener('beat', hear)
    for (const [name, taken] of Object.entries(take))
      opened.addEventListener(name, (event) => {
        hear()
        taken(JSON.parse((event as MessageEvent<string>).data) as never)
      })
    opened.addEventListener('error', () => {
      heardMs = Number.NEGATIVE_INFINITY
    })
    return opened
  }

  function isLive(): boolean {
    return performance.now() - heardMs < silentMs
  }

  async function look(): Promise<void> {
    if (isLive() || isAsking || document.visibilityState !== 'visible') return
    isAsking = true
    try {
      await ask()
      setConnectionState(isLive() ? 'live' : 'asking')
      // The server has refused the stream, and no browser tries that one again.
      if (source?.readyState === EventSource.CLOSED) source = open()
    } catch (error) {
      if (!isLive()) connection.value = isLoggedOut(error) ? 'logged-out' : 'away'
    } finally {
      isAsking = false
    }
  }
}

const loggedOut = 'there is no session any more'

/** Whether a request was refused because the session has ended. */
function isLoggedOut(error: unknown): boolean {
  return error instanceof Error && error.message === loggedOut
}

/** Reads a document of the API. */
export async function read<Document>(address: string): Promise<Document> {
  const answer = await fetch(address, { headers: { accept: 'application/json' } })
  if (answer.status === 401) throw new Error(loggedOut)
  if (!answer.ok) throw new Error(`${address} was answered with ${answer.status}`)
  return (await answer.json()) as Document
}
