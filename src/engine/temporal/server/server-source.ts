/** A Temporal server that runs, or the program that starts one. */
export type FoundServer =
  | { readonly kind: 'running'; readonly address: string }
  | { readonly kind: 'program'; readonly path: string }

/** What a server is searched with. */
export interface Search {
  readonly environment: Readonly<Record<string, string | undefined>>
  /** The folder of the cache for this release. */
  readonly folder: string
  readonly archive: Archive | undefined
  /** Receives a line about each step that takes long. */
  readonly tell: (line: string) => void
  readonly signal: AbortSignal | undefined
}

/** A server source: one way to find or make a server. */
export interface ServerSource {
  /** Its name in messages. */
  name(search: Search): string
  /** A server, or why this source has none. */
  find(search: Search): Promise<FoundServer | NotFound>
}

export interface NotFound {
  readonly kind: 'none'
  readonly why: string
}

export function notFound(why: string): NotFound {
  return { kind: 'none', why }
}

/** The release of the Temporal CLI that is downloaded or built, with which the engine was measured. */
export const release = '1.5.1'

/** The oldest server that has what the engine needs. */
export const oldestServer = '1.29'

const archives: Readonly<Record<string, string>> = {
  darwin_amd64: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  darwin_arm64: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
  linux_amd64: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  linux_arm64: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
}

/** An archive of the Temporal CLI. */
export interface Archive {
  /** Its addresses, in the order of the tries. */
  readonly urls: readonly string[]
  /** Of the archive, the same at every address. */
  readonly sha256: string
}

/** The official archive for this machine, if its hash is known. */
export function officialArchive(platform: string, architecture: string): Archive | undefined {
  const name = `${platform}_${architecture === 'x64' ? 'amd64' : architecture}`
  const sha256 = archives[name]
  if (sha256 === undefined) return undefined
  const path = `temporalio/cli/releases/download/v${release}/temporal_cli_${release}_${name}.tar.gz`
  return { urls: [`https://temporal.download/assets/${path}`, `https://github.com/${path}`], sha256 }
}
