package parse

import "encoding/json"

// Raw is JSON text, the type of the model's schemas, examples and extensions. It is an alias
// so that formats can name the model's type without importing encoding/json: no document may
// reach the decoders of that package.
type Raw = json.RawMessage
