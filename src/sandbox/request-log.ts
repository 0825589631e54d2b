/** One request as it was received, and what became of it. */
export interface RequestRecord {
  readonly request_id: string
  /** Unix milliseconds of this machine, with a fraction. */
  readonly arrived_ms: number
  /** The same instant on the sandbox's clock. */
  readonly clock_ms: number
  readonly method: string
  /** Without the query, which holds the key. */
  readonly path: string
  /** `E1` … `E9`, `catalog`, or null when the path is none of theirs. */
  operation: string | null
  /** The key's name when it is one of the sandbox's, else null. */
  key: string | null
  /** Null while the answer is not made, or when none was sent. */
  status: number | null
  code: string | null
  /** Whether the operation took effect, whatever the caller received. */
  executed: boolean
  /** The fault that was applied. */
  fault: string | null
  unknown_fields: readonly string[]
}

/** Which requests are wanted. */
export interface RequestFilter {
  readonly operation?: string | undefined
  /** Only requests with a higher number. */
  readonly after?: number | undefined
  readonly limit?: number | undefined
}

/** The last requests, bounded in number and in the bytes of their bodies. */
export interface RequestLog {
  add(record: RequestRecord): void
  /** Keeps the body of a record; of a long one only the start. */
  keepBody(record: RequestRecord, bytes: Buffer): void
  /** A JSON document: `{"requests": […], "received": n, "dropped": n}`, oldest first. */
  format(filter: RequestFilter): string
  clear(): void
}

/** How much of one body is kept. */
const bodyBytes = 65_536

interface Entry {
  readonly number: number
  readonly record: RequestRecord
  body?: string
}

/** Keeps `capacity` requests, and bodies of `allBodyBytes` in all; the oldest go first. */
export function createRequestLog(capacity = 100_000, allBodyBytes = 67_108_864): RequestLog {
  let entries: Entry[] = []
  let received = 0
  let keptBytes = 0
  // Bodies of entries up to this number are forgotten.
  let forgotten = 0
  let byRecord = new WeakMap<RequestRecord, Entry>()

  const at = (number: number): Entry | undefined => entries[(number - 1) % capacity]
  const forgetBody = (entry: Entry | undefined): void => {
    if (entry?.body === undefined) return
    keptBytes -= entry.body.length
    delete entry.body
  }

  return {
    add(record) {
      received += 1
      forgetBody(at(received))
      const entry: Entry = { number: received, record }
      entries[(received - 1) % capacity] = entry
      byRecord.set(record, entry)
    },
    keepBody(record, bytes) {
      const entry = byRecord.get(record)
      // Its place can belong to a later request by now.
      if (entry === undefined || at(entry.number) !== entry) return
      forgetBody(entry)
      entry.body = bytes.toString('utf8', 0, bodyBytes)
      keptBytes += entry.body.length
      forgotten = Math.max(forgotten, received - capacity)
      while (keptBytes > allBodyBytes && forgotten < received) forgetBody(at(++forgotten))
    },
    format({ operation, after = 0, limit = capacity }) {
      const first = Math.max(received - capacity, after) + 1
      const found: string[] = []
      for (let number = first; number <= received && found.length < limit; number++) {
        const entry = at(number)
        if (entry && (operation === undefined || entry.record.operation === operation))
          found.push(formatEntry(entry))
      }
      const dropped = Math.max(0, received - capacity)
      return `{"received":${received},"dropped":${dropped},"requests":[\n${found.join(',\n')}\n]}`
    },
    clear() {
      entries = []
      received = 0
      keptBytes = 0
      forgotten = 0
      byRecord = new WeakMap()
    },
  }
}

/** The body stands as the JSON it is; what is no JSON stands as text. */
function formatEntry({ number, record, body }: Entry): string {
  const text = JSON.stringify({ number, ...record })
  if (body === undefined) return text
  return `${text.slice(0, -1)},"body":${isJson(body) ? body : JSON.stringify(body)}}`
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}
