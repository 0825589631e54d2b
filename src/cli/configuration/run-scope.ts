import { realpathSync } from 'node:fs'
import { dirname } from 'node:path'
import type { RunScope } from '../../engine/embedded/index.ts'
import type { Io } from '../io.ts'
import type { Connection } from './connection.ts'
import type { Configuration } from './read-configuration.ts'

/** What runs of this command belong to: the folder of `opsbook.yaml`, else the one it works in, and the service. */
export function scopeOf(
  { file }: Configuration,
  connection: Pick<Connection, 'baseUrl'> | undefined,
  io: Pick<Io, 'workingDirectory'>,
): RunScope {
  const project = realpathSync(file === undefined ? io.workingDirectory : dirname(file))
  return { project, ...(connection === undefined ? {} : { service: connection.baseUrl }) }
}
