import type {
  CreateApplicationInput,
  DisableRuleInput,
  GetApplicationsInput,
  ListIngestionRulesInput,
} from '../../api/operations/index.ts'
import { belongsTo, isVisibleTo, newApplication } from '../applications.ts'
import { type ReceivedCall, type Runtime, recordChange } from '../call.ts'
import { hasTeam } from '../keys.ts'
import { type HandledOutcome, refuseCall, refuseField, refuseMissing } from '../outcome.ts'

/** E2: the application is there for E3, E7 and E9 from now on. */
export function createApplication(
  call: ReceivedCall<CreateApplicationInput>,
  runtime: Runtime,
): HandledOutcome {
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

/** E3: one record for each id that the caller may see, in the order of the ids; the others are left out. */
export function getApplications(
  { body, caller }: ReceivedCall<GetApplicationsInput>,
  { world }: Runtime,
): HandledOutcome {
  const items = [...new Set(body.application_ids)].flatMap((id) => {
    const application = world.applications.get(id)
    return application && isVisibleTo(caller, application) ? [application.record] : []
  })
  return { kind: 'data', data: { items } }
}

/** E7: the rule stays and is disabled; disabling it again changes nothing and is no error. */
export function disableRule(call: ReceivedCall<DisableRuleInput>, runtime: Runtime): HandledOutcome {
  const { body, caller } = call
  const application = runtime.world.applications.get(body.application_id)
  if (application?.account_id !== caller.accountId) return refuseMissing('application_id')
  if (!caller.permissions.includes('rum') || !belongsTo(caller, application))
    return refuseCall('AccessDenied')
  if (!application.severityRules.some((rule) => rule.rule_id === body.rule_id))
    return refuseMissing('rule_id')
  runtime.world.putApplication({
    ...application,
    severityRules: application.severityRules.map((rule) =>
      rule.rule_id === body.rule_id ? { ...rule, status: 'disabled' } : rule,
    ),
  })
  recordChange(call, runtime, 'E7', { application_id: body.application_id, rule_id: body.rule_id })
  return { kind: 'data' }
}

/** E9: all rules of an application that the caller may read. */
export function listIngestionRules(
  { body, caller }: ReceivedCall<ListIngestionRulesInput>,
  { world }: Runtime,
): HandledOutcome {
  const application = world.applications.get(body.application_id)
  if (application?.account_id !== caller.accountId) return refuseMissing('application_id')
  if (!caller.permissions.includes('rum') || !isVisibleTo(caller, application))
    return refuseCall('AccessDenied')
  return { kind: 'data', data: { items: application.ingestionRules } }
}
