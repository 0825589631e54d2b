import { isJsonObject, type JsonObject, type JsonSchema, type JsonValue } from '../../core/json.ts'
import { array, boolean, closed, nonEmpty, object, string } from '../../core/write-schema.ts'

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

export const alertingSchema: JsonSchema = object('Alerting of the application.', {
  enabled: boolean('Errors of the application raise alerts.'),
  channel_ids: array('Channels that alerts go to.', id),
  integration_id: { ...id, description: 'Integration that alerts go through.' },
})

export const tracingSchema: JsonSchema = object('APM trace integration.', {
  enabled: boolean('Traces can be opened from the application.'),
  open_type: string('How a trace is opened; empty when that is disabled.', {
    knownValues: ['', 'popup', 'tab'],
  }),
  endpoint: string('URL template that may contain ${trace_id}.', {
    examples: ['https://apm.example.com/trace/${trace_id}'],
  }),
})

export const linksSchema: JsonSchema = object('Links to other systems.', {
  enabled: boolean('Links are shown.'),
  systems: array(
    'The systems that links lead to.',
    closed(['name', 'url', 'event_types'], {
      id: string('Identifier of the system.'),
      name: nonEmpty('Name that is shown.'),
      icon_text: string('Short text on the icon.'),
      icon_color: string('Colour as "#RRGGBB", quoted: an unquoted # starts a comment in YAML.', {
        pattern: '^#[0-9A-Fa-f]{6}$',
        examples: ['#336699'],
      }),
      url: string('May contain ${application_id} and ${trace_id}.', { pattern: '^https?' }),
      event_types: array(
        'The kinds of events that get the link.',
        {
          type: 'string',
          enum: ['crash', 'error', 'view', 'action', 'resource', 'session', 'all'],
        },
        { minItems: 1 },
      ),
      enabled: boolean('The link is shown.'),
    }),
  ),
})

/** Copies the trace integration to both of its names: the document's and the wire's. */
export function withBothTracingNames(application: JsonValue): JsonValue {
  if (!isJsonObject(application)) return application
  const tracing = application['tracing'] ?? application['the service']
  if (tracing === undefined) return application
  return { ...application, tracing, 'the service': tracing } satisfies JsonObject
}
