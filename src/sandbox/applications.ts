import type { CreateApplicationInput } from '../api/operations/index.ts'
import { deriveId } from './ids.ts'
import type { Json, JsonObject } from './json.ts'
import type { Caller } from './keys.ts'

/** A RUM application with the rules that belong to it. */
export interface Application {
  readonly application_id: string
  readonly account_id: number
  readonly team_id: number
  readonly is_private: boolean
  /** What E3 answers. */
  readonly record: JsonObject
  /** What E9 answers. */
  readonly ingestionRules: readonly JsonObject[]
  /** What E7 switches off. */
  readonly severityRules: readonly SeverityRule[]
}

export interface SeverityRule {
  readonly rule_id: string
  readonly rule_name: string
  readonly severity: string
  readonly status: 'enabled' | 'disabled'
}

/** The preset-severity rules that every new application has, under the same ids in each. */
const presetRules: readonly SeverityRule[] = [
  { rule_id: 'sev_crash', rule_name: 'Crashes', severity: 'critical', status: 'enabled' },
  { rule_id: 'sev_unhandled_error', rule_name: 'Unhandled errors', severity: 'warning', status: 'enabled' },
  { rule_id: 'sev_network_error', rule_name: 'Failed requests', severity: 'warning', status: 'enabled' },
  { rule_id: 'sev_console_error', rule_name: 'Console errors', severity: 'info', status: 'enabled' },
]

/** Who made an application, when, and under which ids. */
export interface Origin {
  readonly application_id: string
  readonly client_token: string
  readonly accountId: number
  readonly userId: number
  readonly atMs: number
}

export function newApplication(input: CreateApplicationInput, origin: Origin): Application {
  const { application_id, accountId, userId, atMs } = origin
  const isPrivate = input.is_private ?? false
  const record: JsonObject = {
    account_id: accountId,
    application_id,
    application_name: input.application_name,
    type: input.type,
    client_token: origin.client_token,
    team_id: input.team_id,
    is_private: isPrivate,
    no_ip: input.no_ip ?? false,
    no_geo: input.no_geo ?? false,
    alerting: { enabled: false, channel_ids: [], integration_id: 0, ...input.alerting },
    'the service': tracingRecord(input['the service'] ?? input.tracing),
    status: 'enabled',
    created_by: userId,
    updated_by: userId,
    created_at: atMs,
    updated_at: atMs,
    links: linksRecord(input.links, application_id),
  }
  return {
    application_id,
    account_id: accountId,
    team_id: input.team_id,
    is_private: isPrivate,
    record,
    ingestionRules: defaultIngestionRules(application_id, atMs),
    severityRules: presetRules,
  }
}

/** Whether the caller belongs to those who work with the application: its team, or the account's owner. */
export function belongsTo(caller: Caller, application: Application): boolean {
  return caller.isOwner || caller.teams.includes(application.team_id)
}

/** Whether the application exists for the caller's eyes: a private one only for its team and the owner. */
export function isVisibleTo(caller: Caller, application: Application): boolean {
  if (application.account_id !== caller.accountId) return false
  return !application.is_private || belongsTo(caller, application)
}

function tracingRecord(tracing: CreateApplicationInput['tracing']): JsonObject {
  const isEnabled = tracing?.enabled ?? false
  return {
    enabled: isEnabled,
    open_type: isEnabled ? (tracing?.open_type ?? '') : '',
    endpoint: isEnabled ? (tracing?.endpoint ?? '') : '',
  }
}

function linksRecord(links: CreateApplicationInput['links'], applicationId: string): JsonObject {
  const systems: Json[] = (links?.systems ?? []).map((system, index) => ({
    id: deriveId('link_system', `${applicationId}/${index}`),
    icon_text: '',
    icon_color: '#336699',
    enabled: true,
    ...system,
  }))
  return { enabled: links?.enabled ?? false, systems }
}

/** Newest first, as E9 lists them. */
function defaultIngestionRules(applicationId: string, atMs: number): readonly JsonObject[] {
  const rule = (name: string, description: string, filters: Json, createdAt: number): JsonObject => ({
    rule_id: deriveId('ingestion_rule', `${applicationId}/${name}`),
    rule_name: name,
    description,
    filters,
    status: 'enabled',
    created_at: createdAt,
    updated_at: createdAt,
  })
  return [
    rule(
      'Crashes and errors of real users',
      'Keeps errors of every kind unless a robot caused them',
      [
        [{ key: 'error.type', oper: 'IN', vals: ['crash'] }],
        [
          { key: 'error.type', oper: 'IN', vals: ['error', 'unhandledrejection'] },
          { key: 'usr.agent', oper: 'NOTIN', vals: ['synthetic'] },
        ],
      ],
      atMs,
    ),
    rule(
      'Without browser extensions',
      'Drops errors that extensions raise',
      [[{ key: 'error.source', oper: 'NOTIN', vals: ['extension'] }]],
      atMs - 1,
    ),
  ]
}
