import { fileURLToPath } from 'node:url'

/** The folder of this copy of the library, built or not: that of the nearest package.json. */
export function libraryFolder(): string {
  const { url } = import.meta
  return fileURLToPath(url.slice(0, Math.max(url.lastIndexOf('/dist/'), url.lastIndexOf('/src/'))))
}
