import { formatDuration } from '../../core/times/index.ts'
import { languageDefaults } from './defaults.ts'
import {
  countValue,
  data,
  durationValue,
  list,
  map,
  mapTemplate,
  oneOf,
  type Section,
  textTemplate,
  words,
} from './section.ts'

const { concurrency, maxStarts, schedule } = languageDefaults

export const documentSection: Section = {
  name: 'document',
  title: 'runbook',
  summary: 'The whole file. One file holds one runbook.',
  keys: [
    {
      key: 'apiVersion',
      value: oneOf({ 'opsbook/v1': 'The first version.' }),
      summary: 'Version of the language.',
      isRequired: true,
      example: 'opsbook/v1',
    },
    {
      key: 'name',
      value: data({
        type: 'string',
        pattern: '^[a-z][a-z0-9_-]{0,63}$',
        errorMessage: 'is lower-case letters, digits, "_" and "-", a letter first, at most 64 characters',
      }),
      summary: 'Name of the runbook, by which commands and triggers find it.',
      isRequired: true,
      example: 'diagnose_host',
    },
    {
      key: 'title',
      value: words,
      summary: 'Title that views show.',
      example: 'First look at a host in trouble',
    },
    {
      key: 'description',
      value: words,
      summary: 'What the runbook is for.',
      example: 'Runs the tools that need no arguments, and keeps what they say.',
    },
    {
      key: 'labels',
      value: data({ type: 'object', additionalProperties: { type: 'string' } }),
      summary: 'Texts to find runs by.',
      example: { team: 'web' },
    },
    {
      key: 'inputs',
      value: data({ type: 'object' }),
      summary: 'JSON Schema of the inputs. They are checked before the run starts.',
      example: { type: 'object', required: ['host'], properties: { host: { type: 'string' } } },
    },
    {
      key: 'secrets',
      value: data({
        type: 'array',
        uniqueItems: true,
        items: { type: 'string', pattern: '^[a-z][a-z0-9_]*$' },
      }),
      summary: 'Names of the secrets that the runbook uses; opsbook.yaml holds the source of each.',
      example: ['agent_token'],
    },
    { key: 'triggers', value: list('trigger', 0, 50), summary: 'What starts the runbook automatically.' },
    {
      key: 'concurrency',
      value: map('concurrency'),
      summary: 'How many runs may be active at a time for each key.',
    },
    { key: 'timeout', value: durationValue, summary: 'Working time of the whole run.', example: '30m' },
    {
      key: 'defaults',
      value: map('defaults'),
      summary: 'Defaults for the steps.',
    },
    { key: 'steps', value: list('step'), summary: 'The steps, in order.', isRequired: true },
    {
      key: 'finally',
      value: list('step'),
      summary: 'Steps that run at the end, also after a failure or a cancellation.',
    },
    {
      key: 'outputs',
      value: mapTemplate,
      summary: 'Outputs of the run.',
      example: { failed: '${{ steps.checks.outputs.failed }}' },
    },
  ],
}

export const defaultsSection: Section = {
  name: 'defaults',
  title: 'defaults',
  summary: 'Defaults for the steps.',
  keys: [
    {
      key: 'retry',
      value: map('retry'),
      summary: 'How failed calls are retried; steps override it key by key.',
    },
    { key: 'throttle', value: map('throttle'), summary: 'How long a call waits for rate limits.' },
    {
      key: 'connection',
      value: words,
      summary: 'Connection in opsbook.yaml for steps that name none, and no url.',
      example: 'production',
    },
    { key: 'attempt-timeout', value: durationValue, summary: 'Time of one attempt.', example: '90s' },
  ],
}

export const concurrencySection: Section = {
  name: 'concurrency',
  title: 'concurrency',
  summary: 'How many runs may be active at a time for each key.',
  keys: [
    {
      key: 'key',
      value: textTemplate,
      summary: 'The key that runs share; sees `inputs`.',
      isRequired: true,
      example: '${{ inputs.host }}',
    },
    {
      key: 'limit',
      value: countValue(1, 1000),
      summary:
        'Number of runs with the same key that may be active. More than 1 with `wait` and `reject` only.',
      default: concurrency.limit,
      example: 3,
    },
    {
      key: 'on-conflict',
      value: oneOf({
        skip: 'A further start is answered with the active run.',
        reject: 'A further start is an error.',
        wait: 'A further run waits in line.',
      }),
      summary: 'What a further start does.',
      default: concurrency.onConflict,
    },
  ],
}

export const triggerSection: Section = {
  name: 'trigger',
  title: 'trigger',
  summary: 'Something that starts the runbook: an event (`incident`) or the clock (`schedule`).',
  keys: [
    {
      key: 'type',
      value: oneOf({ incident: 'An event that a hook receives.', schedule: 'The clock.' }),
      summary: 'Kind of trigger.',
      isRequired: true,
      example: 'incident',
    },
    {
      key: 'with',
      value: mapTemplate,
      summary: 'The inputs; with `incident`, expressions see `event`.',
      example: { host: '${{ event.incident.labels.host }}' },
    },
    {
      key: 'hook',
      value: words,
      summary: 'incident: name of the hook in opsbook.yaml; left out: any hook of that event type.',
      example: 'incidents',
    },
    {
      key: 'where',
      value: { kind: 'condition' },
      summary: 'incident: start only when this holds; sees `event`.',
      example: "${{ lower(event.incident.severity) == 'critical' }}",
    },
    {
      key: 'dedupe-key',
      value: textTemplate,
      summary: 'incident: the same key never starts the runbook twice.',
      example: '${{ event.incident.id }}',
    },
    {
      key: 'cooldown',
      value: map('cooldown'),
      summary: 'incident: at most one start for each key and period.',
    },
    {
      key: 'max-starts',
      value: map('max-starts'),
      summary: 'incident: maximum starts in a period; further ones are rejected.',
    },
    { key: 'cron', value: words, summary: 'schedule: five fields; or give `every`.', example: '0 8 * * 1-5' },
    {
      key: 'every',
      value: durationValue,
      summary: 'schedule: a fixed interval; or give `cron`.',
      example: '6h',
    },
    {
      key: 'timezone',
      value: words,
      summary: 'schedule: IANA name of the time zone.',
      default: schedule.timezone,
      example: 'Europe/Berlin',
    },
    {
      key: 'overlap',
      value: oneOf({
        skip: 'No second run is started.',
        'buffer-one': 'One start waits for the end of the running one.',
        'cancel-other': 'The running one is cancelled.',
        'allow-all': 'Both run.',
      }),
      summary: 'schedule: what happens when the last run is still running.',
      default: schedule.overlap,
    },
    {
      key: 'catch-up',
      value: durationValue,
      summary: 'schedule: missed times up to this age are started.',
      default: formatDuration(schedule.catchUpMs),
      example: '10m',
    },
  ],
}

/** The keys that only one type of trigger has. */
export const triggerKeys: Readonly<Record<'incident' | 'schedule', readonly string[]>> = {
  incident: ['hook', 'where', 'dedupe-key', 'cooldown', 'max-starts'],
  schedule: ['cron', 'every', 'timezone', 'overlap', 'catch-up'],
}

export const cooldownSection: Section = {
  name: 'cooldown',
  title: 'cooldown',
  summary: 'At most one start for each key and period.',
  keys: [
    {
      key: 'key',
      value: textTemplate,
      summary: 'Default: the whole runbook.',
      example: '${{ event.incident.labels.host }}',
    },
    { key: 'for', value: durationValue, summary: 'The period.', isRequired: true, example: '15m' },
  ],
}

export const maxStartsSection: Section = {
  name: 'max-starts',
  title: 'max-starts',
  summary: 'Maximum starts of this trigger in a period.',
  keys: [
    {
      key: 'count',
      value: countValue(1, 10_000),
      summary: 'Number of starts.',
      isRequired: true,
      default: maxStarts.count,
    },
    {
      key: 'per',
      value: durationValue,
      summary: 'The period.',
      isRequired: true,
      default: formatDuration(maxStarts.perMs),
    },
  ],
}
