import { createHash } from 'node:crypto'
import { readFile, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { parse } from 'yaml'
import { type Action, createApiActions, type OperationChoice } from '../../actions/index.ts'
import { isJsonObject, type JsonObject } from '../../core/json.ts'
import { CommandError } from '../command-error.ts'
import { resolvePath } from '../configuration/data-dir.ts'
import type { Configuration } from '../configuration/read-configuration.ts'
import type { ApiDocument } from '../configuration/schema/apis-schema.ts'
import { findHttpConnection } from '../connections/connection.ts'
import { connectionWindowsOf } from '../connections/http-connection.ts'
import { isNamedInside } from '../files/inside-repository.ts'
import { refuseSpecial } from '../files/special-file.ts'
import type { Surroundings } from '../surroundings.ts'

/** The actions of the OpenAPI documents in `opsbook.yaml`. Throws for a document that is not the pinned one. */
export async function loadApis(configuration: Configuration, io: Surroundings): Promise<readonly Action[]> {
  const { file, document } = configuration
  const apis = Object.entries(document.apis ?? {})
  if (file === undefined) return []
  const loaded = await Promise.all(
    apis.map(([name, api]) => {
      const path = resolvePath(api.openapi, dirname(file), io)
      if (!isNamedInside(path, file)) {
        throw refused(name, `${api.openapi} is not in this repository, or a link leads out of it`, [
          'copy the document into the repository',
        ])
      }
      return loadApi(name, api, path, configuration)
    }),
  )
  return loaded.flat()
}

async function loadApi(
  name: string,
  { openapi, sha256, connection, operations }: ApiDocument,
  file: string,
  configuration: Configuration,
): Promise<readonly Action[]> {
  if (findHttpConnection(connection, configuration) === undefined)
    throw refused(name, `there is no connection "${connection}" of type http`, ['add it under connections'])
  const { size } = await stat(file).catch(() => ({ size: 0 }))
  if (size > mostBytes)
    throw refused(name, `${openapi} has ${Math.ceil(size / 2 ** 20)} MiB, and a document has at most 20`, [
      'leave out the operations that no step calls',
    ])
  const bytes = await readDocumentFile(file).catch((error: NodeJS.ErrnoException) => {
    throw refused(name, `${openapi} cannot be read (${error.code})`, [
      'paths in opsbook.yaml are relative to opsbook.yaml',
    ])
  })
  const hash = createHash('sha256').update(bytes).digest('hex')
  // Before the hash of it is shown: that of another file would say what it holds.
  const document = readDocument(name, openapi, bytes)
  if (sha256 === undefined)
    throw refused(name, `${openapi} is not pinned`, [`read it, then write sha256: ${hash}`])
  if (sha256 !== hash)
    throw refused(name, `${openapi} has changed since it was pinned`, [
      `compare it with the one before, then write sha256: ${hash}`,
    ])
  const choices = Object.fromEntries(
    Object.entries(operations).map(([id, { safety, limits }]): [string, OperationChoice] => [
      id,
      { safety, ...(limits === undefined ? {} : { limits: connectionWindowsOf(limits) }) },
    ]),
  )
  const { actions, problems } = await createApiActions({
    name,
    document,
    connection,
    operations: choices,
  }).catch((error: Error) => {
    throw refused(name, `${openapi} cannot be used: ${error.message}`, [])
  })
  const wrong = Object.entries(problems).map(([id, problem]) => `the operation "${id}" ${problem}`)
  if (wrong.length > 0) throw refused(name, wrong.join('; '), [])
  return actions
}

/** More is no document that a person has compared, in bytes. */
const mostBytes = 20 * 2 ** 20

function readDocument(name: string, openapi: string, bytes: Buffer): JsonObject {
  const text = bytes.toString()
  try {
    // JSON is YAML too, but its own parser is a hundred times as fast.
    const value: unknown = text.trimStart().startsWith('{') ? JSON.parse(text) : parse(text)
    if (isJsonObject(value as JsonObject) && /^3\.[01]\./.test(String((value as JsonObject)['openapi'])))
      return value as JsonObject
  } catch (error) {
    const isDeep = error instanceof RangeError
    // The words of the parser quote the text.
    throw refused(name, `${openapi} is ${isDeep ? 'nested too deeply' : 'neither JSON nor YAML'}`, [])
  }
  throw refused(name, `${openapi} is no document of OpenAPI 3.0 or 3.1`, [])
}

function refused(name: string, reason: string, hints: readonly string[]): CommandError {
  return new CommandError('usage', `opsbook.yaml: apis.${name}: ${reason}`, {
    code: 'InvalidConfiguration',
    hints,
  })
}

async function readDocumentFile(file: string): Promise<Buffer> {
  refuseSpecial(file)
  return readFile(file)
}
