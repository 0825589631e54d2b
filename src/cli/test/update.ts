/** `opsbook test --update`: expectations as runs are now. */

import { writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { printable } from '../../project/text/index.ts'
import {
  type LoadedTestFile,
  type RunTestsOptions,
  repinned,
  runTests,
  type TextChange,
  updateExpectations,
} from '../../testing/index.ts'
import { type CommandContext, tell } from '../shared/context.ts'

/** Each round shows the next difference of a value, so that many can follow one another. */
const mostRounds = 50

/**
 * Replaces the expected values of failing tests by those of their runs, and prints what was replaced. Recordings of
 * another plan are renewed once every test passes. A file that would be wrong afterwards is not written.
 */
export async function updateFile(
  context: CommandContext,
  file: string,
  load: (file: string, text?: string) => Promise<LoadedTestFile>,
  options: RunTestsOptions,
): Promise<void> {
  const path = resolve(context.io.workingDirectory, file)
  const first = await load(file)
  let { tests } = first
  const before = first.texts[file] ?? ''
  let text = before
  const changes: TextChange[] = []
  for (let round = 0; tests && round < mostRounds; round++) {
    const { tests: results } = await runTests(tests, options)
    const updates = results.flatMap(({ failures }) => failures.flatMap(({ update }) => update ?? []))
    const updated = updateExpectations(text, updates)
    if (updated.changes.length === 0 || updated.text === text) {
      if (results.every(({ status }) => status === 'passed')) await renewRecordings(context, tests, path)
      break
    }
    const next = await load(file, updated.text)
    if (!next.tests) break
    tests = next.tests
    text = updated.text
    changes.push(...updated.changes)
  }
  if (text === before) return
  await writeFile(path, text)
  const { errorPaint: paint } = context
  tell(context, [
    `${printable(file)}: ${changes.length} ${changes.length === 1 ? 'value' : 'values'} updated`,
    ...changes.flatMap(({ line, before: was, after }) => [
      `  ${paint.dim(`line ${line}`)}`,
      ...was.split('\n').map((one) => `    ${paint.red(`- ${printable(one.trim())}`)}`),
      `    ${paint.green(`+ ${printable(after)}`)}`,
    ]),
  ])
}

async function renewRecordings(
  context: CommandContext,
  tests: NonNullable<LoadedTestFile['tests']>,
  path: string,
): Promise<void> {
  for (const { file, text } of repinned(tests)) {
    await writeFile(join(dirname(path), file), text)
    tell(context, `${printable(file)}: renewed for the plan as it is now; its calls are the same`)
  }
}
