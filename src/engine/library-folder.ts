import { fileURLToPath } from 'node:url'

/** The root folder of this library, built or not: the folder of the nearest package.json. */
export function libraryFolder(): string {
  const { url } = import.meta
  return fileURLToPath(url.slice(0, Math.max(url.lastIndexOf('/dist/'), url.lastIndexOf('/src/'))))
}
