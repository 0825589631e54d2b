/** What the operations do, by their id, and the permission that each asks for before anything else is looked at. */
import type { OperationId } from '../body-schemas.ts'
import type { Execute } from '../call.ts'
import type { Permission } from '../keys.ts'
import { createAgent } from './create-agent.ts'
import { exportSession } from './export-session.ts'
import { invokeTools, listTools } from './invoke-tools.ts'
import { previewDatasource } from './preview-datasource.ts'
import { createApplication, disableRule, getApplications, listIngestionRules } from './rum-applications.ts'
import { setPostMortemStatus } from './set-post-mortem-status.ts'

interface Handler {
  readonly permission?: Permission
  // Each takes the body that its schema describes; the schema was checked before.
  // biome-ignore lint/suspicious/noExplicitAny: the table holds operations of different bodies
  readonly execute: Execute<any>
}

export const handlers: Readonly<Record<OperationId, Handler>> = {
  E1: { permission: 'ai-sre', execute: createAgent },
  E2: { permission: 'rum', execute: createApplication },
  E3: { execute: getApplications },
  E4: { execute: invokeTools },
  E5: { execute: previewDatasource },
  E6: { execute: exportSession },
  E7: { execute: disableRule },
  E8: { permission: 'on-call', execute: setPostMortemStatus },
  E9: { execute: listIngestionRules },
  catalog: { execute: listTools },
}
