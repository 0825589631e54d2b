/** Files that a person or a repository names: none leads out of it, and none is a pipe that nobody writes to. */
export { isNamedInside, staysInside } from './inside-repository.ts'
export { makeFolder } from './make-folder.ts'
export { reasonOf, refuseSpecial, refuseToReplaceSpecial, specialFile } from './special-file.ts'
