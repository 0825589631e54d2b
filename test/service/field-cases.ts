import type { OperationId } from './open-service.ts'

/** A change to a body that is valid, and the field that is wrong with it. `undefined` leaves a field out. */
export type FieldCase = readonly [
  id: `§${string}`,
  operation: OperationId,
  change: Readonly<Record<string, unknown>>,
  field: string,
]

/** A change that is allowed: also exactly at a limit. */
export type AllowedCase = readonly [
  id: `§${string}`,
  operation: OperationId,
  change: Readonly<Record<string, unknown>>,
]

// Two code units each: characters are counted, neither bytes nor halves of pairs.
const characters = (count: number): string => '🦊'.repeat(count)

const system = {
  name: 'Replay',
  url: 'https://replay.example.com/${application_id}?trace=${trace_id}',
  event_types: ['error'],
}

/** An application with one link system. */
const linked = (change: object): { readonly links: object } => ({
  links: { enabled: true, systems: [{ ...system, ...change }] },
})

const inLink = (name: string): string => `links.systems[0].${name}`

/** What the client and the sandbox refuse alike. */
export const refused: readonly FieldCase[] = [
  ['§E1.agent_name', 'E1', { agent_name: undefined }, 'agent_name'],
  ['§E1.agent_name', 'E1', { agent_name: '' }, 'agent_name'],
  ['§E1.agent_name', 'E1', { agent_name: 7 }, 'agent_name'],
  ['§E1.agent_name', 'E1', { agent_name: null }, 'agent_name'],
  ['§size.agent_name', 'E1', { agent_name: characters(129) }, 'agent_name'],
  ['§E1.instructions', 'E1', { instructions: undefined }, 'instructions'],
  ['§E1.instructions', 'E1', { instructions: null }, 'instructions'],
  ['§E1.card_url', 'E1', { card_url: undefined }, 'card_url'],
  ['§E1.card_url', 'E1', { card_url: {} }, 'card_url'],
  ['§E1.auth_type', 'E1', { auth_type: 'basic' }, 'auth_type'],
  ['§E1.auth_type', 'E1', { auth_type: true }, 'auth_type'],
  ['§E1.auth_config', 'E1', { auth_config: 'token' }, 'auth_config'],
  ['§E1.auth_config', 'E1', { auth_config: [] }, 'auth_config'],
  ['§E1.auth_config', 'E1', { auth_config: { token: 5 } }, 'auth_config.token'],
  ['§E1.streaming', 'E1', { streaming: 'yes' }, 'streaming'],
  ['§E1.team_id', 'E1', { team_id: '1' }, 'team_id'],
  ['§E1.team_id', 'E1', { team_id: 1.5 }, 'team_id'],
  ['§E1.team_id', 'E1', { team_id: -1 }, 'team_id'],
  ['§E1.environment_kind', 'E1', { environment_kind: 'BYOC' }, 'environment_kind'],
  ['§E1.environment_kind', 'E1', { environment_kind: null }, 'environment_kind'],
  ['§E1.environment_id', 'E1', { environment_kind: 'byoc', environment_id: 1 }, 'environment_id'],
  ['§E1.auth_mode', 'E1', { auth_mode: 'per_user' }, 'auth_mode'],
  ['§E1.auth_mode', 'E1', { auth_mode: '' }, 'auth_mode'],
  ['§E1.secret_schema', 'E1', { secret_schema: { header_name: 'X' } }, 'secret_schema'],
  ['§E1.oauth_metadata', 'E1', { oauth_metadata: {} }, 'oauth_metadata'],
  ['§E1.oauth_metadata', 'E1', { oauth_metadata: 'issuer' }, 'oauth_metadata'],
  ['§E1.oauth_metadata', 'E1', { oauth_metadata: '[]' }, 'oauth_metadata'],
  ['§E1.allow_insecure_oauth_http', 'E1', { allow_insecure_oauth_http: 1 }, 'allow_insecure_oauth_http'],
  [
    '§E1.allow_insecure_tls_skip_verify',
    'E1',
    { allow_insecure_tls_skip_verify: 'true' },
    'allow_insecure_tls_skip_verify',
  ],
  ['§E2.application_name', 'E2', { application_name: undefined }, 'application_name'],
  ['§E2.application_name', 'E2', { application_name: 1 }, 'application_name'],
  ['§size.application_name', 'E2', { application_name: '' }, 'application_name'],
  ['§size.application_name', 'E2', { application_name: characters(41) }, 'application_name'],
  ['§E2.type', 'E2', { type: undefined }, 'type'],
  ['§E2.type', 'E2', { type: ['browser'] }, 'type'],
  ['§E2.team_id', 'E2', { team_id: undefined }, 'team_id'],
  ['§E2.team_id', 'E2', { team_id: 1.5 }, 'team_id'],
  ['§E2.is_private', 'E2', { is_private: 'no' }, 'is_private'],
  ['§E2.no_ip', 'E2', { no_ip: 0 }, 'no_ip'],
  ['§E2.no_geo', 'E2', { no_geo: null }, 'no_geo'],
  ['§E2.alerting', 'E2', { alerting: true }, 'alerting'],
  ['§E2.alerting', 'E2', { alerting: { enabled: 'on' } }, 'alerting.enabled'],
  ['§E2.alerting', 'E2', { alerting: { channel_ids: ['1'] } }, 'alerting.channel_ids[0]'],
  ['§E2.alerting', 'E2', { alerting: { integration_id: 'x' } }, 'alerting.integration_id'],
  ['§E2.tracing', 'E2', { tracing: [] }, 'tracing'],
  ['§E2.tracing', 'E2', { tracing: { enabled: 'yes' } }, 'tracing.enabled'],
  ['§E2.tracing', 'E2', { tracing: { open_type: 1 } }, 'tracing.open_type'],
  ['§E2.tracing', 'E2', { 'the service': { endpoint: 1 } }, 'the service.endpoint'],
  ['§E2.tracing', 'E2', { tracing: {}, 'the service': {} }, 'tracing'],
  ['§E2.links', 'E2', { links: [] }, 'links'],
  ['§links.enabled', 'E2', { links: { enabled: 'yes', systems: [] } }, 'links.enabled'],
  ['§links.systems', 'E2', { links: { enabled: true, systems: {} } }, 'links.systems'],
  ['§links.systems', 'E2', { links: { systems: ['Replay'] } }, 'links.systems[0]'],
  ['§links.id', 'E2', linked({ id: 5 }), inLink('id')],
  ['§links.name', 'E2', linked({ name: 5 }), inLink('name')],
  ['§links.name', 'E2', linked({ name: undefined }), inLink('name')],
  ['§links.icon_text', 'E2', linked({ icon_text: 5 }), inLink('icon_text')],
  ...['red', '#12345', '#1234567', '336699', '#33669g'].map(
    (icon_color): FieldCase => ['§links.icon_color', 'E2', linked({ icon_color }), inLink('icon_color')],
  ),
  ...['ftp://replay.example.com', '//replay.example.com', '${base}/x', ''].map(
    (url): FieldCase => ['§links.url', 'E2', linked({ url }), inLink('url')],
  ),
  ['§links.event_types', 'E2', linked({ event_types: 'error' }), inLink('event_types')],
  ['§links.event_types', 'E2', linked({ event_types: [] }), inLink('event_types')],
  ['§links.event_types', 'E2', linked({ event_types: ['error', 'log'] }), inLink('event_types[1]')],
  ['§links.system-enabled', 'E2', linked({ enabled: 1 }), inLink('enabled')],
  ['§E3.application_ids', 'E3', { application_ids: undefined }, 'application_ids'],
  ['§E3.application_ids', 'E3', { application_ids: 'CheckoutWebSandboxApp1' }, 'application_ids'],
  ['§E3.application_ids', 'E3', { application_ids: [] }, 'application_ids'],
  ['§E3.application_ids', 'E3', { application_ids: ['x', 1] }, 'application_ids[1]'],
  ['§E4.account_id', 'E4', { account_id: '1001' }, 'account_id'],
  ['§E4.account_id', 'catalog', { account_id: 1.5 }, 'account_id'],
  ['§E4.target_locator', 'catalog', { target_locator: undefined }, 'target_locator'],
  ['§E4.target_locator', 'catalog', { target_locator: 'web|01' }, 'target_locator'],
  ['§E4.target_locator', 'catalog', { target_locator: 'ü'.repeat(129) }, 'target_locator'],
  ['§E4.target_locator', 'E4', { target_locator: undefined }, 'target_locator'],
  ['§E4.target_locator', 'E4', { target_locator: 'web 01' }, 'target_locator'],
  ['§E4.target_locator', 'E4', { target_locator: 'web|01' }, 'target_locator'],
  ['§E4.target_locator', 'E4', { target_locator: 'web\u000001' }, 'target_locator'],
  ['§E4.target_locator', 'E4', { target_locator: 'ü'.repeat(129) }, 'target_locator'],
  ['§E4.tools', 'E4', { tools: undefined }, 'tools'],
  ['§E4.tools', 'E4', { tools: [] }, 'tools'],
  ['§E4.tools', 'E4', { tools: [{ params: {} }] }, 'tools[0].tool'],
  ['§E4.tools', 'E4', { tools: [{ tool: 'os.cpu', params: [] }] }, 'tools[0].params'],
  ['§E5.ds_type', 'E5', { ds_type: undefined }, 'ds_type'],
  ['§E5.ds_name', 'E5', { ds_name: undefined }, 'ds_name'],
  ['§E5.ds_name', 'E5', { ds_name: 7 }, 'ds_name'],
  ['§E5.expr', 'E5', { expr: undefined }, 'expr'],
  ['§E5.expr', 'E5', { expr: '' }, 'expr'],
  ['§E5.delay_seconds', 'E5', { delay_seconds: '60' }, 'delay_seconds'],
  ['§E5.delay_seconds', 'E5', { delay_seconds: 0.5 }, 'delay_seconds'],
  ['§E5.delay_seconds', 'E5', { delay_seconds: -1 }, 'delay_seconds'],
  ['§E6.session_id', 'E6', { session_id: undefined }, 'session_id'],
  ['§E6.session_id', 'E6', { session_id: 7 }, 'session_id'],
  ['§E6.include_subagents', 'E6', { include_subagents: 'true' }, 'include_subagents'],
  ['§E7.application_id', 'E7', { application_id: undefined }, 'application_id'],
  ['§E7.application_id', 'E7', { application_id: 1 }, 'application_id'],
  ['§E7.rule_id', 'E7', { rule_id: undefined }, 'rule_id'],
  ['§E7.rule_id', 'E7', { rule_id: ['sev_crash'] }, 'rule_id'],
  ['§E8.post_mortem_id', 'E8', { post_mortem_id: undefined }, 'post_mortem_id'],
  ['§E8.post_mortem_id', 'E8', { post_mortem_id: 1 }, 'post_mortem_id'],
  ['§E8.status', 'E8', { status: undefined }, 'status'],
  ['§E8.status', 'E8', { status: true }, 'status'],
  ['§E8.status', 'E8', { status: 'archived' }, 'status'],
  ['§E8.status', 'E8', { status: 'Published' }, 'status'],
  ['§E8.status', 'E8', { status: '' }, 'status'],
  ['§E9.application_id', 'E9', { application_id: undefined }, 'application_id'],
  ['§E9.application_id', 'E9', { application_id: {} }, 'application_id'],
]

/** What only the sandbox refuses: newer services may know more values than the document. */
export const unlisted: readonly FieldCase[] = [
  ['§E2.type', 'E2', { type: 'miniprogram' }, 'type'],
  ['§newer.values', 'E2', { tracing: { enabled: true, open_type: 'window' } }, 'tracing.open_type'],
  ['§size.instructions', 'E1', { instructions: characters(2001) }, 'instructions'],
]

const each = <T>(
  id: `§${string}`,
  operation: OperationId,
  values: readonly T[],
  change: (value: T) => Readonly<Record<string, unknown>>,
): readonly AllowedCase[] => values.map((value) => [id, operation, change(value)])

/** What both let through, unchanged. */
export const allowed: readonly AllowedCase[] = [
  ['§size.agent_name', 'E1', { agent_name: characters(128) }],
  ['§size.instructions', 'E1', { instructions: characters(2000) }],
  ...each('§E1.auth_type', 'E1', ['none', 'api_key', 'bearer'], (auth_type) => ({ auth_type })),
  ['§E1.auth_config', 'E1', { auth_config: {} }],
  ['§E1.team_id', 'E1', { team_id: 0 }],
  ['§E1.team_id', 'E1', { team_id: 2 }],
  ['§E1.environment_kind', 'E1', { environment_kind: '' }],
  ['§E1.environment_kind', 'E1', { environment_kind: 'byoc', environment_id: 'env_account' }],
  ...each('§E1.auth_mode', 'E1', ['shared', 'per_user_oauth'], (auth_mode) => ({ auth_mode })),
  ['§E1.oauth_metadata', 'E1', { auth_mode: 'per_user_oauth', oauth_metadata: '{"issuer":"x"}' }],
  ...each('§E1.streaming', 'E1', [true, false], (streaming) => ({ streaming })),
  ['§size.application_name', 'E2', { application_name: characters(40) }],
  ['§size.application_name', 'E2', { application_name: 'x' }],
  ...each(
    '§E2.type',
    'E2',
    ['browser', 'ios', 'android', 'react-native', 'flutter', 'kotlin-multiplatform', 'roku', 'unity'],
    (type) => ({ type }),
  ),
  ['§E2.team_id', 'E2', { team_id: 0 }],
  ['§links.systems', 'E2', { links: { enabled: false, systems: [] } }],
  ['§links.icon_color', 'E2', linked({ icon_color: '#aB09fF' })],
  ...each('§links.url', 'E2', ['http://a.example', 'https://${host}/'], (url) => linked({ url })),
  [
    '§links.event_types',
    'E2',
    linked({ event_types: ['crash', 'error', 'view', 'action', 'resource', 'session', 'all'] }),
  ],
  ['§E4.account_id', 'E4', { account_id: 1001 }],
  ['§E4.account_id', 'E4', { account_id: 0 }],
  ['§E4.target_locator', 'E4', { target_locator: 'node-10000' }],
  ['§E5.delay_seconds', 'E5', { delay_seconds: 0, args: {} }],
  ['§E6.include_subagents', 'E6', { include_subagents: false }],
  ...each('§E8.status', 'E8', ['published', 'drafting'], (status) => ({ status })),
]
