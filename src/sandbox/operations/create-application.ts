import type { CreateApplicationInput } from '../../api/operations/index.ts'
import { newApplication } from '../applications.ts'
import { recordChange } from '../audit.ts'
import type { Call, Runtime } from '../call.ts'
import { hasTeam } from '../keys.ts'
import { type Outcome, refuseField, refuseMissing } from '../outcome.ts'

/** E2: the application is there for E3, E7 and E9 from now on. */
export function createApplication(call: Call<CreateApplicationInput>, runtime: Runtime): Outcome {
  const { body, caller } = call
  if (body.tracing !== undefined && body['the service'] !== undefined) {
    return refuseField(
      'tracing',
      'and "the service" are one field; send one of them',
      '与 "the service" 只能传一个',
    )
  }
  if (body.team_id !== 0 && !hasTeam(caller.accountId, body.team_id)) return refuseMissing('team_id')
  const application = newApplication(body, {
    application_id: runtime.world.nextId('application'),
    client_token: runtime.world.nextId('client_token'),
    accountId: caller.accountId,
    userId: caller.userId,
    atMs: Math.floor(runtime.clock.now()),
  })
  runtime.world.putApplication(application)
  const { application_id, record } = application
  const application_name = body.application_name
  recordChange(call, runtime, 'E2', { application_id, application_name, team_id: body.team_id })
  const client_token = record['client_token'] ?? ''
  return { kind: 'data', data: { application_id, application_name, client_token } }
}
