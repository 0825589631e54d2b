import { expect, it } from 'vitest'
import { newFolder, opsbook } from './support/opsbook.ts'

const text = (name: string, condition: string): string =>
  `apiVersion: opsbook/v1\nname: ${name}\nsteps:
  - { id: ask, uses: core/approve, with: { message: Go on? } }
  - { id: holds, uses: core/assert, with: { that: ["\${{ ${condition} }}"] } }
`

it.each([
  { ended: 'succeeded', words: ['resume', 'RUN'], next: 'To do it once more, start another run.' },
  { ended: 'succeeded', words: ['cancel', 'RUN'], next: '"opsbook show RUN" says where it stands.' },
  { ended: 'failed', words: ['cancel', 'RUN', '--now'], next: '"opsbook show RUN" says where it stands.' },
  { ended: 'failed', words: ['approve', 'RUN', 'ask'], next: '"opsbook show RUN" says where it stands.' },
  {
    ended: 'failed',
    words: ['decide', 'RUN', 'ask', '--as', 'retry'],
    next: '"opsbook show RUN" says where it stands.',
  },
  { ended: 'failed', words: ['resume', 'RUN', '--repeat', 'asks'], next: undefined },
  { ended: 'succeeded', words: ['run', 'failed.yaml', '--sandbox', '--id', 'key'], next: undefined },
])('a refusal says what to do next where there is something: $words', async ({ ended, words, next }) => {
  const folder = await newFolder({
    'succeeded.yaml': text('good', '1 == 1'),
    'failed.yaml': text('bad', '1 == 2'),
  })
  const command = (...some: readonly string[]) => opsbook([...some, '--data-dir', 'data'], { folder })
  const run = await command('run', `${ended}.yaml`, '--sandbox', '--yes', '-q', '--id', 'key', '-o', 'json')
  const { run_id: runId, status } = JSON.parse(run.stdout)
  expect(status).toBe(ended)
  const given = words.map((word) => word.replace('RUN', runId))
  const { code, stderr } = await command(...given)
  expect(code).toBe(2)
  expect(stderr).toContain('error: InvalidInput: ')
  const said = /^ {2}next +(.*)$/m.exec(stderr)?.[1]
  expect(said).toBe(next?.replace('RUN', runId))
})
