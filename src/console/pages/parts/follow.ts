import { connection } from './connection.tsx'

const askEveryMs = 5000

/** What a page follows. */
export interface Followed {
  /** Such as `run:run_20261123_085741_k3x9qd`, `inbox` and `now`. */
  readonly topics: readonly string[]
  /** Takes the data of each event, by the name of the event. */
  readonly take: Readonly<Record<string, (data: never) => void>>
  /** Reads the newest state where no stream arrives. Rejects if the server does not answer. */
  readonly ask: () => Promise<void>
}

/**
 * Follows the server with one stream. While none arrives, because the server is away or a proxy holds it back, the page
 * asks every 5 seconds. Returns what ends it.
 */
export function follow({ topics, take, ask }: Followed): () => void {
  let isLive = false
  let isAsking = false
  const source = new EventSource(`/api/v1/stream?topics=${topics.map(encodeURIComponent).join(',')}`)
  for (const [name, taken] of Object.entries(take))
    source.addEventListener(name, (event) => {
      isLive = true
      connection.value = 'live'
      taken(JSON.parse((event as MessageEvent<string>).data) as never)
    })
  source.addEventListener('error', () => {
    isLive = false
  })
  const timer = setInterval(async () => {
    if (isLive || isAsking || document.visibilityState !== 'visible') return
    isAsking = true
    try {
      await ask()
      if (!isLive) connection.value = 'asking'
    } catch {
      if (!isLive) connection.value = 'away'
    } finally {
      isAsking = false
    }
  }, askEveryMs)
  return () => {
    clearInterval(timer)
    source.close()
  }
}

/** Reads a document of the API. A session that has ended leads to the page that says how to open one. */
export async function read<Document>(address: string): Promise<Document> {
  const answer = await fetch(address, { headers: { accept: 'application/json' } })
  if (answer.status === 401) location.reload()
  if (!answer.ok) throw new Error(`${address} was answered with ${answer.status}`)
  return (await answer.json()) as Document
}
