import type { Archive } from './release.ts'

/** A Temporal server that runs, or the program that starts one. */
export type FoundServer =
  | { readonly kind: 'running'; readonly address: string }
  | { readonly kind: 'program'; readonly path: string }

/** What a way has to go by. */
export interface Search {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The folder of the cache for this release. */
  readonly folder: string
  readonly archive: Archive | undefined
  /** Told, in a line, of what takes long. */
  readonly tell: (line: string) => void
  readonly signal: AbortSignal | undefined
}

/** One way to a server. */
export interface Way {
  /** As people know it. */
  name(search: Search): string
  /** A server, or why there is none this way. */
  find(search: Search): Promise<FoundServer | NotFound>
}

export interface NotFound {
  readonly kind: 'none'
  readonly why: string
}

export function notFound(why: string): NotFound {
  return { kind: 'none', why }
}
