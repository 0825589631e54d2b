import { type InputProblem, usualTimeoutMs } from '../../core/action.ts'
import { isJsonObject } from '../../core/json.ts'
import { boolean, byName, choice, closed, integer, nonEmpty, string } from '../../core/write-schema.ts'
import { isHttpUrl } from '../validation/field-path.ts'
import type { Operation } from './operation.ts'

export interface CreateAgentInput {
  readonly agent_name: string
  readonly instructions: string
  /** Absolute `http` or `https` URL of the agent card. */
  readonly card_url: string
  /** @deprecated Must be identical to `instructions` when sent. */
  readonly description?: string
  readonly auth_type?: 'none' | 'api_key' | 'bearer'
  /** Credentials; every value is treated as a secret. */
  readonly auth_config?: Readonly<Record<string, string>>
  readonly streaming?: boolean
  /** 0 is the account itself. */
  readonly team_id?: number
  readonly environment_kind?: '' | 'byoc'
  readonly environment_id?: string
  readonly auth_mode?: 'shared' | 'per_user_secret' | 'per_user_oauth'
  /** A JSON object as text, with `header_name`. */
  readonly secret_schema?: string
  /** A JSON object as text. */
  readonly oauth_metadata?: string
  readonly allow_insecure_oauth_http?: boolean
  readonly allow_insecure_tls_skip_verify?: boolean
}

export interface CreateAgentOutput {
  readonly agent_id: string
}

/** E1. Source: the API document, "E1 Create A2A agent". */
export const createAgent: Operation<CreateAgentInput, CreateAgentOutput> = {
  id: 'E1',
  name: 'safari/a2a-agent/create',
  summary: 'Register a remote A2A agent from its agent card',
  safety: 'create',
  permission: 'Agent management (ai-sre); team membership for team_id > 0, owner or admin for team_id 0',
  limit: { per: 'app_key', perSecond: 20, perMinute: 300 },
  answer: 'json',
  defaultTimeoutMs: usualTimeoutMs,
  findOut:
    'No operation lists agents: look in the console of the service for an agent with this agent_name and card_url. Its id is the answer: {"agent_id": "…"}.',
  sensitiveInput: ['auth_config.*'],
  input: closed(['agent_name', 'instructions', 'card_url'], {
    agent_name: nonEmpty('Name of the agent.', { maxLength: 128, examples: ['capacity-helper'] }),
    instructions: nonEmpty('What the remote agent is for, in plain language.', {
      knownMaxLength: 2000,
      examples: ['Answers questions about disk and memory capacity.'],
    }),
    card_url: string('Absolute http or https address of the agent card. Whether it answers is not checked.', {
      examples: ['https://agents.example.com/.well-known/agent-card.json'],
    }),
    description: string('Deprecated. Must be identical to instructions when sent.', { deprecated: true }),
    auth_type: string('How the service authenticates.', { enum: ['none', 'api_key', 'bearer'] }),
    auth_config: byName('Credentials, such as api_key or token. Take each value from secrets.', {
      type: 'string',
    }),
    streaming: boolean('The agent can stream its answers.'),
    team_id: integer('Owning team; 0 is the account, and needs its owner or an admin.', {
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
    }),
    environment_kind: choice('Where the agent runs.', {
      '': 'Routed automatically.',
      byoc: 'Through the runner in environment_id.',
    }),
    environment_id: string('The runner; required when environment_kind is byoc.'),
    auth_mode: choice(
      'Whose credential is used.',
      {
        shared: 'One credential for all users.',
        per_user_secret: 'A secret of each user; needs secret_schema with header_name.',
        per_user_oauth: 'OAuth of each user.',
      },
      { default: 'shared' },
    ),
    secret_schema: string(
      'A JSON object as text, with header_name; required when auth_mode is per_user_secret.',
      { examples: ['{"header_name":"X-Agent-Key"}'] },
    ),
    oauth_metadata: string('OAuth metadata: a JSON object as text.'),
    allow_insecure_oauth_http: boolean('Allow plain-HTTP OAuth endpoints beyond loopback.', {
      default: false,
    }),
    allow_insecure_tls_skip_verify: boolean('Do not verify the TLS certificate of the agent.', {
      default: false,
    }),
  }),
  check(input) {
    const problems: InputProblem[] = []
    const problem = (path: string, message: string): void => {
      problems.push({ path, message })
    }
    if (!isHttpUrl(input.card_url)) problem('card_url', 'must be an absolute http or https URL with a host')
    if (input.description !== undefined && input.description !== input.instructions)
      problem('description', 'is deprecated and must be identical to instructions; leave it out')
    if (input.environment_kind === 'byoc' && !input.environment_id)
      problem('environment_id', 'is required when environment_kind is byoc')
    if (input.auth_mode === 'per_user_secret' && !hasHeaderName(input.secret_schema)) {
      problem(
        'secret_schema',
        'must be a JSON object as text with a header_name when auth_mode is per_user_secret, such as {"header_name":"X-Agent-Key"}',
      )
    }
    if (input.oauth_metadata !== undefined && parseObject(input.oauth_metadata) === undefined)
      problem('oauth_metadata', 'must be a JSON object as text')
    return problems
  },
  output: {
    type: 'object',
    required: ['agent_id'],
    properties: { agent_id: string('Id of the new agent.') },
  },
}

function hasHeaderName(text: string | undefined): boolean {
  const name = text === undefined ? undefined : parseObject(text)?.['header_name']
  return typeof name === 'string' && name.trim() !== ''
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}
