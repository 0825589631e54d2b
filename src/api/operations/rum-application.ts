import type { JsonObject, JsonSchema, JsonValue } from '../../core/json.ts'
import { isJsonObject } from '../../core/json.ts'

/** The types that the document lists; newer services accept more. */
export const rumApplicationTypes = [
  'browser',
  'ios',
  'android',
  'react-native',
  'flutter',
  'kotlin-multiplatform',
  'roku',
  'unity',
] as const

export type RumApplicationType = (typeof rumApplicationTypes)[number] | (string & {})

export interface Alerting {
  readonly enabled?: boolean
  readonly channel_ids?: readonly number[]
  readonly integration_id?: number
}

/** APM trace integration. */
export interface Tracing {
  readonly enabled?: boolean
  readonly open_type?: string
  /** URL template that may contain `${trace_id}`. */
  readonly endpoint?: string
}

export type LinkEventType = 'crash' | 'error' | 'view' | 'action' | 'resource' | 'session' | 'all'

export interface LinkSystem {
  readonly id?: string
  readonly name: string
  readonly icon_text?: string
  /** `#RRGGBB`. */
  readonly icon_color?: string
  readonly url: string
  readonly event_types: readonly LinkEventType[]
  readonly enabled?: boolean
}

export interface Links {
  readonly enabled?: boolean
  readonly systems?: readonly LinkSystem[]
}

/** An application as E3 answers it. The trace integration has both of its names. */
export interface RumApplication {
  readonly account_id: number
  readonly application_id: string
  readonly application_name: string
  readonly type: RumApplicationType
  readonly client_token: string
  readonly team_id: number
  readonly is_private: boolean
  readonly no_ip: boolean
  readonly no_geo: boolean
  readonly alerting: Alerting
  readonly 'the service'?: Tracing
  readonly tracing?: Tracing
  readonly status: 'enabled' | (string & {})
  readonly created_by: number
  readonly updated_by: number
  /** Unix time in milliseconds. */
  readonly created_at: number
  /** Unix time in milliseconds. */
  readonly updated_at: number
  readonly links: Links
}

const id: JsonSchema = { type: 'integer', minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

export const alertingSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'Alerting of the application.',
  properties: {
    enabled: { type: 'boolean', description: 'Errors of the application raise alerts.' },
    channel_ids: { type: 'array', items: id, description: 'Channels that alerts go to.' },
    integration_id: { ...id, description: 'Integration that alerts go through.' },
  },
}

export const tracingSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'APM trace integration.',
  properties: {
    enabled: { type: 'boolean', description: 'Traces can be opened from the application.' },
    open_type: {
      type: 'string',
      knownValues: ['', 'popup', 'tab'],
      description: 'How a trace is opened; empty when that is disabled.',
    },
    endpoint: {
      type: 'string',
      description: 'URL template that may contain ${trace_id}.',
      examples: ['https://apm.example.com/trace/${trace_id}'],
    },
  },
}

export const linksSchema: JsonSchema = {
  type: 'object',
  additionalProperties: false,
  description: 'Links to other systems.',
  properties: {
    enabled: { type: 'boolean', description: 'Links are shown.' },
    systems: {
      type: 'array',
      description: 'The systems that links lead to.',
      items: {
        type: 'object',
        additionalProperties: false,
        required: ['name', 'url', 'event_types'],
        properties: {
          id: { type: 'string', description: 'Identifier of the system.' },
          name: { type: 'string', minLength: 1, description: 'Name that is shown.' },
          icon_text: { type: 'string', description: 'Short text on the icon.' },
          icon_color: {
            type: 'string',
            pattern: '^#[0-9A-Fa-f]{6}$',
            description: 'Colour as "#RRGGBB", quoted: an unquoted # starts a comment in YAML.',
            examples: ['#336699'],
          },
          url: {
            type: 'string',
            pattern: '^https?',
            description: 'May contain ${application_id} and ${trace_id}.',
          },
          event_types: {
            type: 'array',
            minItems: 1,
            description: 'The kinds of events that get the link.',
            items: {
              type: 'string',
              enum: ['crash', 'error', 'view', 'action', 'resource', 'session', 'all'],
            },
          },
          enabled: { type: 'boolean', description: 'The link is shown.' },
        },
      },
    },
  },
}

/** Copies the trace integration to both of its names: the document's and the wire's. */
export function withBothTracingNames(application: JsonValue): JsonValue {
  if (!isJsonObject(application)) return application
  const tracing = application['tracing'] ?? application['the service']
  if (tracing === undefined) return application
  return { ...application, tracing, 'the service': tracing } satisfies JsonObject
}
