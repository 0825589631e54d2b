import { createHash } from 'node:crypto'
import { relative } from 'node:path'
import { openPartialFile } from '../api/session-record/partial-file.ts'
import type { JsonObject } from '../core/json.ts'
import { RunbookError } from '../core/run-error.ts'
import type { Action, ActionContext } from './action.ts'

/** `core/write`: a text, or any value as JSON, as an artifact of the run. */
export const writeAction: Action = {
  name: 'core/write',
  summary: 'Write a text, or any value as JSON, to a file of the run',
  safety: 'idempotent',
  isLocal: true,
  usesNoConnection: true,
  savesFile: 'always',
  defaultTimeoutMs: 30_000,
  errors: ['FileNotWritten'],
  input: {
    type: 'object',
    required: ['content'],
    additionalProperties: false,
    properties: { content: { description: 'A text is written as it is, anything else as JSON.' } },
  },
  output: {
    type: 'object',
    required: ['path', 'bytes', 'sha256'],
    properties: {
      path: { type: 'string', description: 'The file, relative to the artifacts of the run.' },
      bytes: { type: 'integer', description: 'Its size.' },
      sha256: { type: 'string', description: 'Of the file, in hex.' },
    },
  },
  checkInput: (input) =>
    input['content'] === undefined ? [{ path: 'content', message: 'is required' }] : [],
  async run(input, context) {
    return { output: await write(input, context) }
  },
}

async function write({ content }: JsonObject, { artifacts, saveAs }: ActionContext): Promise<JsonObject> {
  if (saveAs === undefined)
    throw new RunbookError('InvalidInput', 'core/write needs save-as: the file to write')
  const file = await artifacts.fileFor(saveAs)
  const text = typeof content === 'string' ? content : `${JSON.stringify(content, null, 2)}\n`
  const bytes = Buffer.from(text)
  await replaceFile(file, bytes)
  return {
    path: relative(artifacts.folder, file),
    bytes: bytes.length,
    sha256: createHash('sha256').update(bytes).digest('hex'),
  }
}

/** The file has the old content or the new one, whenever the process ends. */
async function replaceFile(target: string, bytes: Buffer): Promise<void> {
  const file = await openPartialFile(target)
  try {
    await file.append(bytes)
    await file.complete()
  } catch (error) {
    await file.discard()
    throw error
  }
}
