/** How often actions and connections may be called. */
import type { ActionDescription, CallWindows } from '../../../core/action.ts'
import { connectionSubject } from '../../../core/pacing/index.ts'
import { httpConnections, readLeniently } from '../../../project/configuration/index.ts'
import { connectionWindowsOf } from '../../../project/connections/index.ts'
import type { Surroundings } from '../../../project/index.ts'

/** The rate windows of each action and connection that has some. */
export async function readLimits(
  actions: readonly ActionDescription[],
  io: Surroundings,
): Promise<ReadonlyMap<string, CallWindows>> {
  // A mistake in opsbook.yaml must not hide the runs.
  const found = await readLeniently(io).catch(() => undefined)
  const connections = Object.entries(httpConnections(found?.document.connections))
  return new Map([
    ...actions.flatMap(({ name, limit }) => (limit === undefined ? [] : [[name, limit] as const])),
    ...connections.flatMap(([name, { limits }]) =>
      limits === undefined ? [] : [[connectionSubject(name), connectionWindowsOf(limits)] as const],
    ),
  ])
}
