import type { RememberedResult } from '../../core/host/ports.ts'

/** What steps, and items of loops, have come to, by their paths. */
export type Results = ReadonlyMap<string, RememberedResult | 'begun'>

/** Whether a path can be come to again: neither it nor anything around it has ended well. What has failed can be tried again. */
export function isOpen(path: string, results: Results): boolean {
  return !isSettled(results.get(path)) && !isInsideSettled(path, results)
}

/** Whether something around a path has ended well: nothing inside is asked for again. */
export function isInsideSettled(path: string, results: Results): boolean {
  for (let end = path.length - 1; end > 0; end--) {
    const isPart = path[end] === '/' || path[end] === '['
    if (isPart && isSettled(results.get(path.slice(0, end)))) return true
  }
  return false
}

function isSettled(result: RememberedResult | 'begun' | undefined): boolean {
  return typeof result === 'object' && (result.status === 'succeeded' || result.status === 'skipped')
}
