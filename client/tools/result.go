package tools

import (
	"encoding/base64"
	"encoding/json"
	"strings"
)

// CallResult is the answer to one call of a model, for [Vendor.Result].
type CallResult struct {
	// ID is the identifier that the model gave the call, and Name the name of the tool.
	ID, Name string
	// Text is the answer, and Failed is true if the call failed.
	Text   string
	Failed bool
	// Images are added where the API takes images in the answer to a call: a PNG, JPEG, GIF or WebP for
	// Anthropic, Bedrock and MCP. The others get the Text alone.
	Images []Image
}

// Image is an image for a model.
type Image struct {
	Media string // such as "image/png"
	Data  []byte
}

// Result returns the answer to a call in the form in which the API of the vendor takes it: an item of
// the next request. It is a tool_result block for Anthropic, a function_call_output for
// OpenAI's Responses, a message of the role "tool" for OpenAIChat and Mistral, a functionResponse part
// for Gemini, a toolResult block for Bedrock, and the result of tools/call for MCP. The error is a
// [VendorError].
func (v Vendor) Result(r *CallResult) (json.RawMessage, error) {
	if err := v.check(); err != nil {
		return nil, err
	}
	return v.row.result(r).json(), nil
}

// shown returns the images that models see.
func (r *CallResult) shown() (list []Image) {
	for _, i := range r.Images {
		switch i.Media {
		case "image/png", "image/jpeg", "image/gif", "image/webp":
			list = append(list, i)
		}
	}
	return list
}

func (i *Image) base64() string { return base64.StdEncoding.EncodeToString(i.Data) }

func responsesResult(r *CallResult) object {
	return object{{"type", "function_call_output"}, {"call_id", r.ID}, {"output", r.Text}}
}

func chatResult(r *CallResult) object {
	return object{{"role", "tool"}, {"tool_call_id", r.ID}, {"content", r.Text}}
}

func namedResult(r *CallResult) object { // Mistral
	return append(chatResult(r), member{"name", r.Name})
}

func anthropicResult(r *CallResult) object {
	content := []json.RawMessage{object{{"type", "text"}, {"text", r.Text}}.json()}
	for _, i := range r.shown() {
		content = append(content, object{{"type", "image"}, {"source", object{{"type", "base64"}, {"media_type", i.Media}, {"data", i.base64()}}}}.json())
	}
	return object{{"type", "tool_result"}, {"tool_use_id", r.ID}, {"content", content}, {"is_error", given(r.Failed)}}
}

// geminiResult has the members that the API names for the answer and for an error
// (FunctionResponse.response).
func geminiResult(r *CallResult) object {
	response := object{{"output", r.Text}}
	if r.Failed {
		response = object{{"error", r.Text}}
	}
	return object{{"functionResponse", object{{"id", given(r.ID)}, {"name", r.Name}, {"response", response}}}}
}

func bedrockResult(r *CallResult) object {
	content := []json.RawMessage{object{{"text", r.Text}}.json()}
	for _, i := range r.shown() {
		content = append(content, object{{"image", object{{"format", strings.TrimPrefix(i.Media, "image/")}, {"source", object{{"bytes", i.base64()}}}}}}.json())
	}
	status := "success"
	if r.Failed {
		status = "error"
	}
	return object{{"toolResult", object{{"toolUseId", r.ID}, {"content", content}, {"status", status}}}}
}

func mcpResult(r *CallResult) object {
	content := []json.RawMessage{object{{"type", "text"}, {"text", r.Text}}.json()}
	for _, i := range r.shown() {
		content = append(content, object{{"type", "image"}, {"data", i.base64()}, {"mimeType", i.Media}}.json())
	}
	return object{{"content", content}, {"isError", given(r.Failed)}}
}
