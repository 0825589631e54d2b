import { type ChildProcess, spawn } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** A message of the Language Server Protocol, as far as it is looked at. */
interface Message {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
}

export interface Completion {
  readonly label: string
  readonly documentation?: string | { readonly value: string }
  readonly insertText?: string
}

export interface EditorFinding {
  readonly message: string
  readonly range: { readonly start: { readonly line: number; readonly character: number } }
}

/** The real YAML language server, spoken to as an editor does. */
export interface LanguageServer {
  /** What is wrong with a text; of a runbook, where no other file is named. */
  findings(text: string, file?: string): Promise<readonly EditorFinding[]>
  /** What can stand where `|` stands. */
  completions(text: string, file?: string): Promise<readonly Completion[]>
  /** The help at the position of `|`. */
  hover(text: string, file?: string): Promise<string>
  close(): Promise<void>
}

const serverFile = fileURLToPath(
  new URL('../../../node_modules/yaml-language-server/bin/yaml-language-server', import.meta.url),
)

/** Starts the server with one schema for every file. */
export function startLanguageServer(schemaFile: string): Promise<LanguageServer> {
  return openFolder('/', { [pathToFileURL(schemaFile).href]: ['/**/*.yaml'] })
}

/** Starts the server for a folder. `schemas`: as in the settings of the editor, `yaml.schemas`. */
export async function openFolder(
  folder: string,
  schemas: Readonly<Record<string, readonly string[]>>,
): Promise<LanguageServer> {
  const child = spawn(process.execPath, [serverFile, '--stdio'], { stdio: ['pipe', 'pipe', 'inherit'] })
  const settings = {
    yaml: {
      schemas,
      schemaStore: { enable: false },
      hover: true,
      completion: true,
      validate: true,
    },
  }
  const connection = connect(child, settings)
  const capabilities = {
    textDocument: {
      completion: { completionItem: { documentationFormat: ['markdown'] } },
      hover: { contentFormat: ['markdown'] },
      publishDiagnostics: {},
    },
    workspace: { configuration: true, workspaceFolders: true, didChangeConfiguration: {} },
  }
  const rootUri = pathToFileURL(folder).href
  const workspaceFolders = [{ uri: rootUri, name: 'folder' }]
  await connection.request('initialize', { processId: process.pid, rootUri, workspaceFolders, capabilities })
  connection.notify('initialized', {})
  connection.notify('workspace/didChangeConfiguration', { settings })

  let count = 0
  /** Under a name, or in a folder, of its own: no file is opened twice. */
  const open = (text: string, file?: string): string => {
    const name = `open-${++count}`
    const path = file === undefined ? `runbooks/${name}.yaml` : `${name}/${file}`
    const uri = pathToFileURL(join(folder, path)).href
    connection.notify('textDocument/didOpen', { textDocument: { uri, languageId: 'yaml', version: 1, text } })
    return uri
  }
  /** Asks about the place of `|`. */
  const ask = (method: string, marked: string, file?: string): Promise<unknown> => {
    const before = marked.slice(0, marked.indexOf('|')).split('\n')
    const uri = open(marked.replace('|', ''), file)
    const position = { line: before.length - 1, character: before.at(-1)?.length ?? 0 }
    return connection.request(method, { textDocument: { uri }, position })
  }
  const findings = (text: string, file?: string): Promise<readonly EditorFinding[]> =>
    connection.diagnosticsOf(open(text, file))
  // The server asks for its settings when it likes to. Once it finds what is wrong here, it has the schema.
  const isReady = async (): Promise<boolean> => (await findings('no_such_key: 1\n')).length > 0
  while (Object.keys(schemas).length > 0 && !(await isReady()));
  return {
    findings,
    async completions(text, file) {
      const result = (await ask('textDocument/completion', text, file)) as
        | { items: Completion[] }
        | Completion[]
      return 'items' in result ? result.items : result
    },
    async hover(text, file) {
      const result = (await ask('textDocument/hover', text, file)) as { contents: { value: string } } | null
      return result?.contents.value ?? ''
    },
    async close() {
      const ended = new Promise((resolve) => child.once('exit', resolve))
      await connection.request('shutdown', null)
      connection.notify('exit', null)
      child.stdin?.end()
      await ended
    },
  }
}

interface Connection {
  request(method: string, params: unknown): Promise<unknown>
  notify(method: string, params: unknown): void
  diagnosticsOf(uri: string): Promise<readonly EditorFinding[]>
}

function connect(child: ChildProcess, settings: { readonly yaml: unknown }): Connection {
  let nextId = 0
  const waiting = new Map<number, (message: Message) => void>()
  const published = new Map<string, readonly EditorFinding[]>()
  const listeners = new Map<string, (findings: readonly EditorFinding[]) => void>()

  const send = (message: object): void => {
    const body = JSON.stringify({ jsonrpc: '2.0', ...message })
    child.stdin?.write(`Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`)
  }
  const take = (message: Message): void => {
    const { id, method, params } = message
    if (method === undefined) {
      waiting.get(id ?? -1)?.(message)
    } else if (method === 'textDocument/publishDiagnostics') {
      const { uri, diagnostics } = params as { uri: string; diagnostics: readonly EditorFinding[] }
      published.set(uri, diagnostics)
      listeners.get(uri)?.(diagnostics)
    } else if (method === 'workspace/configuration') {
      const { items } = params as { items: readonly { section?: string }[] }
      send({ id, result: items.map(({ section }) => (section === 'yaml' ? settings.yaml : {})) })
    } else if (id !== undefined) send({ id, result: null })
  }
  readMessages(child, take)
  return {
    request(method, params) {
      const id = nextId++
      return new Promise((resolve, reject) => {
        waiting.set(id, ({ result, error }) => {
          if (error) reject(new Error(error.message))
          else resolve(result)
        })
        send({ id, method, params })
      })
    },
    notify: (method, params) => send({ method, params }),
    diagnosticsOf(uri) {
      const known = published.get(uri)
      return known ? Promise.resolve(known) : new Promise((resolve) => listeners.set(uri, resolve))
    },
  }
}

/** Messages as they come: a header with the length, an empty line, the JSON. */
function readMessages(child: ChildProcess, take: (message: Message) => void): void {
  let buffer = Buffer.alloc(0)
  child.stdout?.on('data', (chunk: Buffer) => {
    buffer = Buffer.concat([buffer, chunk])
    while (true) {
      const end = buffer.indexOf('\r\n\r\n')
      const length = Number(
        /Content-Length: (\d+)/i.exec(buffer.subarray(0, Math.max(end, 0)).toString())?.[1],
      )
      if (end < 0 || buffer.length < end + 4 + length) return
      take(JSON.parse(buffer.subarray(end + 4, end + 4 + length).toString()) as Message)
      buffer = buffer.subarray(end + 4 + length)
    }
  })
}
