import type { JsonObject } from 'opsbook'

/** A runbook whose history is recorded besides the shipped ones, and the requests that it gets while it runs. */
export interface PlayedRunbook {
  readonly name: string
  readonly runbook: JsonObject
  /** The run continues as a new execution at this number of events. */
  readonly mostEvents?: number
  /** One after the other: each once the step at that path waits. */
  readonly said?: readonly {
    readonly at: string
    /** The answer of a person, unless a control request is sent. */
    readonly approved?: boolean
    /** The answer to `core/ask`. */
    readonly value?: JsonObject
    readonly control?: 'cancel' | 'pause' | 'unpause'
  }[]
}

const call = (id: string, file: string = id): JsonObject => ({
  id,
  uses: 'core/write',
  with: { content: id },
  'save-as': `${file}.txt`,
})

/** One of each kind of thing that a workflow does. */
export const played: readonly PlayedRunbook[] = [
  {
    name: 'asked-and-approved',
    runbook: {
      steps: [{ id: 'ask', uses: 'core/approve', with: { message: 'Go on?', timeout: '1h' } }, call('then')],
    },
    said: [{ at: 'ask', approved: true }],
  },
  {
    name: 'asked-and-rejected',
    runbook: {
      steps: [
        {
          id: 'all',
          steps: [{ id: 'ask', uses: 'core/approve', with: { message: 'Go on?' } }],
          catch: [{ errors: ['ApprovalRejected'], steps: [call('instead')] }],
        },
      ],
      finally: [call('after')],
    },
    said: [{ at: 'all/ask', approved: false }],
  },
  {
    name: 'asked-in-vain',
    runbook: {
      steps: [
        {
          id: 'ask',
          uses: 'core/approve',
          with: { message: 'Go on?', timeout: '100ms', 'on-timeout': 'approve' },
        },
      ],
    },
  },
  {
    name: 'asked-and-answered',
    runbook: {
      steps: [
        {
          id: 'which',
          uses: 'core/ask',
          with: {
            message: 'Which hosts?',
            answer: {
              type: 'object',
              required: ['hosts'],
              properties: { hosts: { type: 'array', items: { type: 'string' } } },
            },
            choices: { hosts: ['web-01', 'web-02'] },
            timeout: '1h',
          },
        },
        call('then', "${{ steps.which.outputs.answer.hosts.join('-') }}"),
      ],
    },
    said: [{ at: 'which', value: { hosts: ['web-02'] } }],
  },
  {
    name: 'listens-in-vain',
    runbook: {
      steps: [
        {
          id: 'hear',
          uses: 'core/listen',
          with: { hook: 'ci', timeout: '100ms', 'on-timeout': 'continue' },
        },
        call('then'),
      ],
    },
  },
  {
    name: 'turns-choices-and-failures',
    runbook: {
      steps: [
        { id: 'now', uses: 'core/time' },
        {
          id: 'pages',
          repeat: {
            with: { page: 1 },
            next: { page: '${{ turn.page + 1 }}' },
            until: '${{ next.page > 3 }}',
            'at-most': 5,
          },
          steps: [call('page', 'page-${{ turn.page }}')],
        },
        {
          id: 'way',
          choose: [
            { when: '${{ steps.pages.outputs.turns == 3 }}', steps: [call('three')] },
            { steps: [call('other')] },
          ],
        },
        {
          id: 'wrong',
          uses: 'core/fail',
          with: { code: 'NotReady', message: 'it is not ready' },
          catch: [
            {
              errors: ['NotReady'],
              when: "${{ error.message != '' }}",
              steps: [call('instead')],
              // biome-ignore lint/suspicious/noThenProperty: a key of the language
              then: 'fail',
            },
          ],
        },
      ],
      finally: [{ id: 'took', uses: 'core/set', with: { seconds: '${{ run.took_seconds }}' } }],
    },
  },
  {
    name: 'people-are-told',
    runbook: {
      steps: [
        { id: 'ask', uses: 'core/approve', with: { message: 'Go on?' } },
        { id: 'wrong', uses: 'core/assert', with: { that: ['${{ 1 == 2 }}'] } },
      ],
    },
    said: [{ at: 'ask', approved: true }],
  },
  {
    name: 'a-command-speaks',
    runbook: {
      steps: [
        {
          id: 'talk',
          uses: 'core/command',
          // Its worker signals the run what it says while it runs.
          with: {
            script: 'for line in 1 2 3; do echo $line; sleep 1; done',
            safety: 'read',
            output: 'lines',
          },
        },
      ],
    },
  },
  {
    name: 'cancelled',
    runbook: {
      timeout: '1h',
      steps: [
        {
          id: 'block',
          steps: [{ id: 'long', uses: 'core/wait', with: { for: '1h' } }],
          finally: [call('tidy')],
        },
      ],
      finally: [call('after')],
    },
    said: [{ at: 'block/long', control: 'cancel' }],
  },
  {
    name: 'cancelled-at-once',
    runbook: { steps: [{ id: 'ask', uses: 'core/approve', with: { message: 'Go on?' } }] },
    said: [{ at: 'ask', control: 'cancel' }],
  },
  {
    name: 'branches-within-limits',
    runbook: {
      timeout: '5m',
      steps: [
        {
          id: 'both',
          timeout: '1m',
          parallel: [
            {
              id: 'left',
              steps: [
                call('first'),
                { id: 'pause', uses: 'core/wait', with: { for: '50ms' } },
                call('second'),
              ],
            },
            { id: 'right', timeout: '30s', steps: [call('other')] },
          ],
        },
        {
          id: 'over',
          timeout: '50ms',
          'continue-on-error': true,
          uses: 'core/wait',
          with: { for: "${{ '1' + 'h' }}" },
        },
      ],
    },
  },
  {
    name: 'many-items',
    mostEvents: 30,
    runbook: {
      timeout: '5m',
      steps: [
        {
          id: 'each',
          'for-each': { items: [1, 2, 3, 4, 5, 6, 7, 8], as: 'item', 'max-parallel': 2 },
          steps: [
            call('inner', 'item-${{ item }}'),
            { id: 'named', uses: 'core/set', with: { of: '${{ item }}' } },
          ],
        },
        { id: 'ask', uses: 'core/approve', with: { message: 'Enough?' } },
      ],
    },
    said: [{ at: 'ask' }],
  },
]
