import { RunbookError } from '../core/run-error.ts'
import type { Action } from './action.ts'
import { writeArtifact } from './write-artifact.ts'

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
    properties: { content: { description: 'A text is written unchanged, anything else as JSON.' } },
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
  async run({ content = null }, { artifacts, saveAs }) {
    if (saveAs === undefined)
      throw new RunbookError('InvalidInput', 'core/write needs save-as: the file to write', { notSent: true })
    return { output: { ...(await writeArtifact(artifacts, saveAs, content)) } }
  },
}
