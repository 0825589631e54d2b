/** The tools of the catalog. A host has all of them, a MySQL those that look at a MySQL. */
import { containerTools } from './containers.ts'
import { diskTools } from './disks.ts'
import { logTools } from './logs.ts'
import { mysqlTools } from './mysql.ts'
import { networkTools } from './network.ts'
import { systemTools } from './system.ts'
import type { SandboxTool } from './tool.ts'

const tools: readonly SandboxTool[] = [
  ...systemTools,
  ...diskTools,
  ...networkTools,
  ...mysqlTools,
  ...containerTools,
  ...logTools,
]

export function toolsFor(kind: string): readonly SandboxTool[] {
  return kind === 'mysql' ? mysqlTools : tools
}
