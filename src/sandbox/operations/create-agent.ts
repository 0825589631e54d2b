import type { CreateAgentInput } from '../../api/operations/index.ts'
import { type ReceivedCall, type Runtime, recordChange } from '../call.ts'
import { runners } from '../fixtures.ts'
import { isObject } from '../json.ts'
import type { Caller } from '../keys.ts'
import { type HandledOutcome, type Refused, refuseCall, refuseField, refuseMissing } from '../outcome.ts'

/** E1: the eight rules of the document, then the agent. */
export function createAgent(call: ReceivedCall<CreateAgentInput>, runtime: Runtime): HandledOutcome {
  const { body, caller } = call
  const refused = checkRules(body) ?? checkRunner(body, caller) ?? checkTeam(body.team_id ?? 0, caller)
  if (refused) return refused
  const agentId = runtime.world.nextId('agent')
  runtime.world.putAgent({
    agent_id: agentId,
    account_id: caller.accountId,
    created_by: caller.userId,
    created_at: Math.floor(runtime.clock.now()),
    request: { ...body, ...(body.auth_config && { auth_config: maskCredentials(body.auth_config) }) },
  })
  recordChange(call, runtime, 'E1', {
    agent_id: agentId,
    agent_name: body.agent_name,
    team_id: body.team_id ?? 0,
  })
  return { kind: 'data', data: { agent_id: agentId } }
}

function checkRules(body: CreateAgentInput): Refused | undefined {
  if (body.description !== undefined && body.description !== body.instructions)
    return refuseField('description', 'must be identical to instructions', '必须与 instructions 一致')
  if (!isHttpUrlWithHost(body.card_url)) {
    return refuseField(
      'card_url',
      'must be an absolute http or https URL with a host',
      '必须是带主机名的 http 或 https 绝对地址',
    )
  }
  if (body.environment_kind === 'byoc' && !body.environment_id) {
    return refuseField(
      'environment_id',
      'is required when environment_kind is byoc',
      'environment_kind 为 byoc 时必填',
    )
  }
  if (body.auth_mode === 'per_user_secret' && !headerName(body.secret_schema)) {
    return refuseField(
      'secret_schema',
      'must be a JSON object as text with header_name when auth_mode is per_user_secret',
      'auth_mode 为 per_user_secret 时必须是包含 header_name 的 JSON 对象',
    )
  }
  if (body.oauth_metadata !== undefined && parseObject(body.oauth_metadata) === undefined)
    return refuseField('oauth_metadata', 'must be a JSON object as text', '必须是 JSON 对象文本')
  return undefined
}

function checkRunner(body: CreateAgentInput, caller: Caller): Refused | undefined {
  if (body.environment_kind !== 'byoc') return undefined
  const isVisible = runners.some(
    (runner) =>
      runner.environment_id === body.environment_id &&
      runner.account_id === caller.accountId &&
      (runner.team_id === 0 || caller.teams.includes(runner.team_id)),
  )
  return isVisible ? undefined : refuseMissing('environment_id')
}

function checkTeam(teamId: number, caller: Caller): Refused | undefined {
  if (teamId === 0) {
    return caller.isOwner
      ? undefined
      : refuseCall('AccessDenied', {
          en: 'team_id: an account-level agent needs the owner or an admin of the account',
          zh: 'team_id：账户级 Agent 需要账户所有者或管理员',
        })
  }
  return caller.teams.includes(teamId)
    ? undefined
    : refuseCall('AccessDenied', {
        en: `team_id: the caller does not belong to team ${teamId}`,
        zh: `team_id：调用者不属于团队 ${teamId}`,
      })
}

function isHttpUrlWithHost(text: string): boolean {
  // `URL` mends what is broken (`http:///x`, spaces, a missing slash); the shape is checked on the text itself.
  const authority = /^https?:\/\/([^/?#\\\s]+)[^\s]*$/i.exec(text)?.[1]
  if (authority === undefined || !URL.canParse(text)) return false
  return !/^(?:[^@]*@)?(?::|$)/.test(authority)
}

function headerName(text: string | undefined): string | undefined {
  const name = text === undefined ? undefined : parseObject(text)?.['header_name']
  return typeof name === 'string' && name.trim() !== '' ? name : undefined
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

function maskCredentials(config: Readonly<Record<string, string>>): Record<string, string> {
  const isMasked = (name: string): boolean => ['api_key', 'token', 'client_secret'].includes(name)
  return Object.fromEntries(
    Object.entries(config).map(([name, value]) => [name, isMasked(name) ? '******' : value]),
  )
}
