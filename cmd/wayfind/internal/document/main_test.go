package document

import (
	"os"
	"testing"

	"github.com/wayfindhq/wayfind/cmd/wayfind/internal/plainly"
)

func TestMain(m *testing.M) { os.Exit(plainly.Tests{M: m}.Run()) }
