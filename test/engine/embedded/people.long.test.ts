import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { answerQuestion, type GivenAnswer, openRunReader, type RunReader } from 'opsbook'
import { expect, it, onTestFinished } from 'vitest'
import { startChild } from './support/child.ts'

const text = `apiVersion: opsbook/v1
name: two
steps:
  - { id: before, uses: note/make, with: { name: before } }
  - { id: ok, uses: core/approve, with: { message: Go?, from: { groups: [leads], count: 2 } } }
  - { id: after, uses: note/make, with: { name: "after \${{ steps.ok.outputs.answers.map(one, one.by).join(' ') }}" } }
`

function yes(name: string): GivenAnswer {
  return { approved: true, by: { name, source: 'console', verified: true }, groups: ['leads'] }
}

function openFolder(): { readonly dataDir: string; readonly callsFile: string } {
  const dataDir = mkdtempSync(join(tmpdir(), 'opsbook-people-'))
  onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }))
  const callsFile = join(dataDir, 'calls.txt')
  writeFileSync(callsFile, '')
  return { dataDir, callsFile }
}

/** Resolves with the id of the run of the folder, once its question can be answered. */
async function asked(dataDir: string): Promise<string> {
  let reader: RunReader | undefined
  const questions = (): string => {
    reader ??= openRunReader(dataDir)
    const runs = reader?.listRuns() ?? []
    return runs
      .flatMap(({ run_id }) => reader?.readRun(run_id) ?? [])
      .flatMap(({ run_id, status, questions }) =>
        status === 'waiting' && questions.some((question) => question.status === 'open') ? [run_id] : [],
      )
      .join()
  }
  await expect.poll(questions).toMatch(/^run_/)
  return questions()
}

it('keeps the first of two answers when its process is killed, and does not ask that person again', async () => {
  const { dataDir, callsFile } = openFolder()
  const first = startChild({ dataDir, callsFile, text })
  const runId = await asked(dataDir)
  await answerQuestion({ dataDir, runId, step: 'ok', answer: yes('ada') })
  await first.kill()
  await expect(answerQuestion({ dataDir, runId, step: 'ok', answer: yes('ada') })).rejects.toThrow(
    '1 of 2; another person must answer',
  )
  const second = startChild({ dataDir, callsFile, runId })
  await asked(dataDir)
  expect(await answerQuestion({ dataDir, runId, step: 'ok', answer: yes('bob') })).toMatchObject([
    { step: 'ok', kind: 'settled', count: 2, needed: 2 },
  ])
  await second.ended
  const [question] = openRunReader(dataDir)?.readRun(runId)?.questions ?? []
  expect(question?.answers.map(({ by, groups }) => [by.name, groups])).toEqual([
    ['ada', ['leads']],
    ['bob', ['leads']],
  ])
  expect(readFileSync(callsFile, 'utf8')).toBe('create before\ncreate after ada bob\n')
})

it('takes one of two answers that come at the same moment, and tells the other', async () => {
  const { dataDir, callsFile } = openFolder()
  const child = startChild({ dataDir, callsFile, text: text.replace(', count: 2', '') })
  const runId = await asked(dataDir)
  const names = ['ada', 'bob', 'eve', 'joe']
  const told = await Promise.allSettled(
    names.map((name) => answerQuestion({ dataDir, runId, step: 'ok', answer: yes(name) })),
  )
  const [winner = ''] = names.filter((_, index) => told[index]?.status === 'fulfilled')
  const reasons = told.flatMap((one) => (one.status === 'rejected' ? [(one.reason as Error).message] : []))
  expect(reasons).toHaveLength(3)
  for (const reason of reasons) expect(reason).toContain(`was approved by ${winner} (console) at 20`)
  await child.ended
  expect(readFileSync(callsFile, 'utf8')).toContain(`create after ${winner}`)
})
