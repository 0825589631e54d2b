/** The release of Temporal's command line tool that is downloaded or built: what the engine was measured with. */
export const release = '1.5.1'

/** The server inside it. An older one lacks what the engine asks for. */
export const oldestServer = '1.29'

const archives: Readonly<Record<string, string>> = {
  darwin_amd64: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
  darwin_arm64: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
  linux_amd64: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
  linux_arm64: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
}

/** An archive with the tool in it. */
export interface Archive {
  /** Where it is to be had, in the order in which to ask. */
  readonly urls: readonly string[]
  /** Of the archive, whoever hands it out. */
  readonly sha256: string
}

/** The official archive for this machine, where there is one whose hash is known. */
export function officialArchive(platform: string, architecture: string): Archive | undefined {
  const name = `${platform}_${architecture === 'x64' ? 'amd64' : architecture}`
  const sha256 = archives[name]
  if (sha256 === undefined) return undefined
  const path = `temporalio/cli/releases/download/v${release}/temporal_cli_${release}_${name}.tar.gz`
  return { urls: [`https://temporal.download/assets/${path}`, `https://github.com/${path}`], sha256 }
}
