import type { JsonSchema } from '../../core/json.ts'
import { array, boolean, byName, integer, nonEmpty, object, string, when } from '../../core/write-schema.ts'
import { recordingName } from '../recording/recording.ts'

const duration = (description: string): JsonSchema => string(description, { format: 'duration' })
const names = (description: string): JsonSchema => array(description, { type: 'string', minLength: 1 })
/** One, or a list of them. */
const oneOrMore = (name: string, minItems = 1): JsonSchema =>
  when(
    { type: 'array' },
    { type: 'array', minItems, items: { $ref: `#/definitions/${name}` } },
    { $ref: `#/definitions/${name}` },
  )

const setting = {
  inputs: { type: 'object', description: 'The inputs of the run.' },
  calls: byName(
    'The result of each call, by the path of the call, else by its action. A list is by attempt; its last entry repeats.',
    oneOrMore('call'),
  ),
  answers: byName(
    'The answers to each question, by the path of the step that asks. A list is one answer after another; an empty one means that no one answers.',
    oneOrMore('answer', 0),
  ),
  events: array('The events that come.', { $ref: '#/definitions/event' }),
  start: string('When the run starts. Default: 2026-01-01.', { format: 'date-time' }),
}

const statuses = ['succeeded', 'failed', 'cancelled', 'unknown']

const expectations = object('What the run must show. Only what is stated is compared.', {
  status: { enum: [...statuses, 'refused'], description: 'How the run ends.' },
  outputs: { type: 'object', description: 'Outputs of the run.' },
  error: object('The error of the run.', {
    code: nonEmpty('Its code.'),
    path: nonEmpty('The step that failed.'),
    message: nonEmpty('A part of its message.'),
  }),
  calls: names('All calls, in the order of their first attempts.'),
  sent: byName('Arguments of calls, by path.', { type: 'object' }),
  never: names('Steps or actions that are never called.'),
  attempts: byName('How many attempts a call takes, by path.', { type: 'integer', minimum: 0 }),
  steps: byName('How steps end, by path.', { enum: [...statuses, 'skipped', 'never'] }),
  took: {
    description: 'Virtual time from the start to the end: a duration, or bounds.',
    ...when(
      { type: 'object' },
      object('Bounds.', { least: duration('At least this.'), most: duration('At most this.') }),
      duration('Exactly this.'),
    ),
  },
  warnings: byName('All failures that continue-on-error let pass: the code of each, by path.', {
    type: 'string',
  }),
  asked: byName('A part of each question, by the path of the step that asks.', { type: 'string' }),
  log: names('A part of each line that core/log writes, in order.'),
  files: byName(
    'Parts of the files that the run writes, by name.',
    when({ type: 'array' }, names('Parts of the file.'), { type: 'string' }),
  ),
})

/** The shape of a test file, for the loader and for editors. */
export const testFileSchema: JsonSchema = {
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Opsbook tests of a runbook',
  ...object(
    'Tests of a runbook with scripted calls, in virtual time.',
    {
      runbook: nonEmpty('Path of the runbook, from the folder of this file.'),
      defaults: object('What every test has by default.', setting),
      tests: { type: 'array', minItems: 1, items: { $ref: '#/definitions/test' } },
      faults: {
        enum: ['each'],
        description:
          'each: lost answers, refusals, crashes and cancellations are tried on each test that succeeds.',
      },
    },
    { required: ['runbook', 'tests'] },
  ),
  definitions: {
    test: object(
      'One run, and what it must show.',
      {
        name: nonEmpty('What the test shows.'),
        ...setting,
        cancel: nonEmpty(
          'When the run is cancelled: after a duration, or while an attempt such as publish#1 is made.',
        ),
        expect: expectations,
      },
      { required: ['name', 'expect'] },
    ),
    call: object('The result of one attempt.', {
      output: { description: 'The output of the action. Fields that are left out are missing.' },
      file: string('The content of the file that the action writes.'),
      error: when(
        { type: 'object' },
        object(
          'How the attempt fails.',
          {
            code: nonEmpty('Its code.'),
            message: nonEmpty('Its message.'),
            status: integer('Of HTTP, or of a command.'),
            'retry-after': duration('How long the service asks to wait.'),
          },
          { required: ['code'] },
        ),
        nonEmpty('The code of the failure.'),
      ),
      recording: nonEmpty(
        'Name of a recording that has the result: the file recordings/NAME.json beside this one.',
        {
          pattern: recordingName.source,
        },
      ),
      takes: duration('From sending to the answer.'),
    }),
    answer: object('One answer to a question.', {
      approved: boolean('Default: true.'),
      value: { description: 'The answer to core/ask.' },
      by: nonEmpty('Who answers.'),
      after: duration('After the question, or after the answer before. Default: 1s.'),
      comment: nonEmpty('A comment.'),
      groups: names('The groups of who answers.'),
      verified: boolean('The name is verified.'),
    }),
    event: object(
      'An event that a step can wait for.',
      {
        hook: nonEmpty('The hook that receives it.'),
        callback: nonEmpty('The callback of the run that receives it.'),
        after: duration('After the start of the run.'),
        id: nonEmpty('Its id.'),
        body: { description: 'Its content.' },
      },
      { required: ['after'] },
    ),
  },
}
