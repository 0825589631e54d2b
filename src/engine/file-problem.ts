/** Why a file or a folder cannot be used, for people: by the code of the system or of SQLite, else the message itself. */
export function fileProblem(error: unknown): string {
  const { code, errcode, message } = error as NodeJS.ErrnoException & { readonly errcode?: number }
  return (code && problems[code]) || (errcode && problemsOfSqlite[errcode & 0xff]) || message || String(error)
}

const problems: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such folder',
  EEXIST: 'a file of this name is in the way',
  ENOTDIR: 'a part of the path is a file',
  EISDIR: 'it is a folder',
  ELOOP: 'a part of the path is a link that leads to itself',
  EACCES: 'no permission to read or write there',
  EPERM: 'no permission to read or write there',
  EROFS: 'the file system is read-only',
  ENOSPC: 'the disk is full',
  EDQUOT: 'the disk quota is used up',
}

const problemsOfSqlite: Readonly<Record<number, string>> = {
  5: 'another process keeps it locked; find that process and stop it',
  10: 'disk I/O error; the disk may be full',
  13: 'the disk is full',
}
