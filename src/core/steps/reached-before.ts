import type { Frame } from './frame.ts'

/** When the run first reached a step; never later than now, also where the clock has been set back since then. */
export async function reachedBefore(path: string, { host }: Frame): Promise<number> {
  return Math.min(await host.firstReachedAt(path), host.now())
}
